import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chargeFrom, pixFrom, returnFrom } from './bank.ts';
import type { Pix, Return } from './facts.ts';

/** What the service heard from the bank in one step. */
export type Heard = {
  /** Charges that it read, by txid. */
  charges: Map<string, Pix[]>;
  /** Pix that it saw in a list, by txid. */
  listed: Map<string, Pix[]>;
  /** Responses to refunds, by endToEndId. */
  returns: Map<string, Return[]>;
  /** Failed calls. */
  failures: number;
};

/** Where a call is interrupted: before the bank has it, or before its response arrives. */
export type Interruption = { at: 'call' | 'answer'; n: number; kill: () => void };

/** A proxy between the service and its banks, which records what the service heard. */
export type Front = {
  /** Where the service reaches a bank. */
  urlOf(bank: string): string;
  /** Clears the record, and sets where the next call ends. */
  listen(interruption?: Interruption): void;
  /** The record since then. */
  heard(): Heard;
  close(): Promise<void>;
};

/** @param banks their addresses, by id */
export async function startFront(banks: Readonly<Record<string, string>>): Promise<Front> {
  let heard = silence();
  let interruption: Interruption | undefined;
  let calls = 0;
  const isHere = (at: Interruption['at'], n: number) => interruption?.at === at && interruption.n === n;
  const server = createServer(async (request, response) => {
    const own = heard;
    const [, bank = '', path = ''] = /^\/(\w+)(\/.*)$/.exec(request.url!) ?? [];
    const n = path.startsWith('/oauth/') ? 0 : ++calls;
    if (isHere('call', n)) return end(interruption!, response);
    const answer = await forward(banks[bank] + path, request).catch(() => undefined);
    // The bank broke the connection.
    if (!answer) return void response.destroy();
    if (isHere('answer', n)) return end(interruption!, response);
    if (n > 0) note(own, { bank, path, method: request.method! }, answer);
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    urlOf: (bank) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${bank}`,
    listen: (next) => {
      [heard, interruption, calls] = [silence(), next, 0];
    },
    heard: () => heard,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const silence = (): Heard => ({ charges: new Map(), listed: new Map(), returns: new Map(), failures: 0 });

function end({ kill }: Interruption, response: ServerResponse): void {
  kill();
  response.destroy();
}

type Answer = { status: number; type: string; text: string };

async function forward(url: string, request: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
  const answer = await fetch(url, {
    method: request.method!,
    headers: { authorization, ...(chunks.length > 0 ? { 'content-type': type } : {}) },
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get('content-type') ?? 'text/plain', text };
}

type Call = { bank: string; path: string; method: string };

function note(heard: Heard, { bank, path: url, method }: Call, { status, text }: Answer): void {
  if (status >= 300) {
    heard.failures += 1;
    return;
  }
  const [path = ''] = url.split('?');
  const body = JSON.parse(text);
  const [, endToEndId] = /^\/pix\/(\w+)\/devolucao\//.exec(path) ?? [];
  if (endToEndId) add(heard.returns, endToEndId, [returnFrom(body)]);
  if (path === '/pix') for (const one of body.pix) add(heard.listed, one.txid, [pixFrom(bank, one)]);
  // A cancellation's response is the charge, too.
  if (path.startsWith('/cob/') && method !== 'PUT') add(heard.charges, body.txid, chargeFrom(bank, body).pix);
}

function add<T>(lists: Map<string, T[]>, key: string, items: T[]): void {
  lists.set(key, [...(lists.get(key) ?? []), ...items]);
}
