import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './http.ts';

export type BankCall = {
  method: string;
  path: string;
  body: Json;
};

export type BankAnswer = { status: number; body: Json };

/** The handler of a call: `ask` carries it out at the bank behind. */
export type Rewrite = (call: BankCall, ask: () => Promise<BankAnswer>) => Promise<BankAnswer>;

/** A bank that stands before another one, and answers as a test says. */
export type OddBank = {
  url: string;
  calls: BankCall[];
  /** The base address of the bank behind; without one, every call is a 503. */
  standBefore(bankUrl: string): void;
  answerWith(rewrite: Rewrite): void;
  answerRightly(): void;
  close(): Promise<void>;
};

export async function startOddBank(): Promise<OddBank> {
  const calls: BankCall[] = [];
  let behind: string | undefined;
  let rewrite: Rewrite = (_call, ask) => ask();
  const server = createServer(async (message, reply) => {
    const { method = '', url = '', headers } = message;
    const text = Buffer.concat(await message.toArray()).toString('utf8');
    const isJson = headers['content-type']?.includes('json') ?? false;
    const call = { method, path: url, body: isJson && text ? JSON.parse(text) : undefined };
    calls.push(call);
    const ask = async () =>
      behind ? await answerOf(behind + url, method, headers, text) : { status: 503, body: {} };
    const { status, body } = await rewrite(call, ask);
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    standBefore: (bankUrl) => {
      behind = bankUrl;
    },
    answerWith: (next) => {
      rewrite = next;
    },
    answerRightly: () => {
      rewrite = (_call, ask) => ask();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answerOf(
  url: string,
  method: string,
  { authorization, 'content-type': contentType }: Record<string, string | string[] | undefined>,
  body: string,
): Promise<BankAnswer> {
  const headers = Object.entries({ authorization, 'content-type': contentType });
  const given = headers.filter((one): one is [string, string] => typeof one[1] === 'string');
  const response = await fetch(url, { method, headers: given, ...(body && { body }) });
  return { status: response.status, body: await response.json().catch(() => ({})) };
}
