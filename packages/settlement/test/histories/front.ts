import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Entry, type Pix, pixFrom, type Return, returnFrom } from './bank.ts';
import { type Told, toldFrom } from './check.ts';

/** The bank's words to the service in one step. */
export type Heard = {
  /** Charges that it read, and that can be read whole, by txid. */
  charges: Map<string, Pix[]>;
  /** Charges with parts that nobody can read, by txid. */
  told: Map<string, Told[]>;
  /** The charges that lists told, by txid. */
  listed: Map<string, Told[]>;
  /** Responses to refunds, by endToEndId. */
  returns: Map<string, Return[]>;
  /** Responses to questions for returns, failed ones included. */
  looks: Look[];
  /** Failed calls. */
  failures: number;
};

/** The returns that a response shows of a charge, of a Pix, or of one return. */
export type Look = { txid?: string; endToEndId?: string; id?: string; shown: readonly string[] };

/** Where a call is interrupted: before the bank has it, or before its response arrives. */
export type Interruption = { at: 'call' | 'answer'; n: number; kill: () => void };

type Banks = Readonly<Record<string, { url: string; key: string }>>;

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

/** @param banks their addresses and the service's key at each, by id */
export async function startFront(banks: Banks): Promise<Front> {
  let heard = silence();
  let interruption: Interruption | undefined;
  let calls = 0;
  const isHere = (at: Interruption['at'], n: number) => interruption?.at === at && interruption.n === n;
  const server = createServer(async (request, response) => {
    const own = heard;
    const [, bank = '', path = ''] = /^\/(\w+)(\/.*)$/.exec(request.url!) ?? [];
    const n = path.startsWith('/oauth/') ? 0 : ++calls;
    if (isHere('call', n)) return end(interruption!, response);
    const answer = await forward(banks[bank]?.url + path, request).catch(() => undefined);
    // The bank broke the connection.
    if (!answer) return void response.destroy();
    if (isHere('answer', n)) return end(interruption!, response);
    if (n > 0) note(own, { bank, key: banks[bank]!.key, path, method: request.method! }, answer);
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

const silence = (): Heard => ({
  charges: new Map(),
  told: new Map(),
  listed: new Map(),
  returns: new Map(),
  looks: [],
  failures: 0,
});

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

/** `key` is the service's at this bank: of an account with several, the others are not told of. */
type Call = { bank: string; key: string; path: string; method: string };

function note(heard: Heard, { bank, key, path: url, method }: Call, { status, text }: Answer): void {
  const [path = ''] = url.split('?');
  if (status >= 300) {
    heard.failures += 1;
    if (status === 404 && method !== 'PUT') heard.looks.push({ ...placeOf(path), shown: [] });
    return;
  }
  const body = JSON.parse(text);
  const isOurs = ({ chave }: Entry) => chave === undefined || chave === key;
  const { endToEndId, id, txid } = placeOf(path);
  if (endToEndId && id) add(heard.returns, endToEndId, [returnFrom(body)]);
  else if (path === '/pix')
    for (const one of body.pix.filter(isOurs)) add(heard.listed, one.txid, [toldFrom(one)]);
  if (method === 'PUT' || !isOurs(body)) return;
  if (txid) noteCharge(heard, bank, txid, body.pix ?? []);
  if (endToEndId) look(heard, { endToEndId, ...(id && { id }) }, id ? [{ devolucoes: [body] }] : [body]);
}

function placeOf(path: string): Omit<Look, 'shown'> {
  const [, txid] = /^\/cob\/(\w+)$/.exec(path) ?? [];
  const [, endToEndId, id] = /^\/pix\/(\w+)(?:\/devolucao\/(\w+))?$/.exec(path) ?? [];
  return { ...(txid && { txid }), ...(endToEndId && { endToEndId }), ...(id && { id }) };
}

/** A cancellation's response is the charge, too. */
function noteCharge(heard: Heard, bank: string, txid: string, entries: readonly Entry[]): void {
  const isOdd = entries.some((one) => toldFrom(one).unnamed > 0 || !/^\d+\.\d\d$/.test(String(one.valor)));
  if (isOdd) add(heard.told, txid, entries.map(toldFrom));
  else {
    const pix = entries.map((one) => pixFrom(bank, one));
    add(heard.charges, txid, pix);
  }
  look(heard, { txid }, entries);
}

/** A response with returns that have no id tells neither that one is there nor that it is not. */
function look(heard: Heard, place: Omit<Look, 'shown'>, entries: readonly Entry[]): void {
  const told = entries.map(toldFrom);
  if (told.some(({ unnamed }) => unnamed > 0)) return;
  heard.looks.push({ ...place, shown: told.flatMap(({ returns }) => returns.map(({ id }) => id)) });
}

function add<T>(lists: Map<string, T[]>, key: string, items: T[]): void {
  lists.set(key, [...(lists.get(key) ?? []), ...items]);
}
