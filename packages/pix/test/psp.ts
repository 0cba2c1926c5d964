import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { buildBrCode } from '../src/brcode.ts';
import { createPixClient, type PixCall, type PixClientOptions } from '../src/client.ts';
import { requestFailures } from './conform.ts';

export const TXID = '7978c0c97ea847e78e8849634473c1f1';
export const END_TO_END_ID = 'E1234567820200909122120200808008';
export const KEY = '7d9f0335-8dcc-4054-9bf9-0dbd61d36906';

export type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
export type Handler = (request: Received, reply: Reply) => void;
export type Reply = { json(status: number, body: unknown): void; raw: ServerResponse };

/** A charge as short as a PSP may make it. */
export const cob = { status: 'ATIVA', valor: { original: '10.00' }, location: 'pix.example.com/qr/1' };

/** The charge as a PSP shows it that has just registered it. */
export const registered = (body: string) => ({ ...cob, ...JSON.parse(body) });

/** A code of that charge. */
export const CODE = buildBrCode({ location: cob.location, merchantName: 'Padaria', merchantCity: 'Recife' });

/**
 * A PSP that answers as the test says: a real HTTP server on a free port. Every request is checked against the
 * API Pix. It gives tokens by itself, numbered `token-1`, `token-2`, …, unless `onToken` does it.
 */
export async function startPsp(t: Test, handler: Handler, onToken: Handler = numberedTokens()) {
  const received: Received[] = [];
  const server = createServer(async (message, raw) => {
    const { method = '', url = '', headers } = message;
    const chunks = await message.toArray();
    const request = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
    received.push(request);
    const reply = {
      raw,
      json: (status: number, body: unknown) => {
        raw.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      },
    };
    if (isToken(request)) return onToken(request, reply);
    const failures = requestFailures(request);
    if (failures.length > 0) t.fail(`not API Pix: ${method} ${url}`, { failures });
    return handler(request, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, server, received, calls: () => received.filter((one) => !isToken(one)) };
}

function isToken({ url }: Pick<Received, 'url'>): boolean {
  return new URL(url, 'http://psp').pathname.endsWith('/oauth/token');
}

export function numberedTokens(expiresIn: unknown = 3600): Handler {
  let issued = 0;
  return (_request, reply) => {
    issued += 1;
    reply.json(200, { access_token: `token-${issued}`, token_type: 'Bearer', expires_in: expiresIn });
  };
}

/** A client of that PSP, with the calls that it reports. */
export function clientOf(t: Test, url: string, options: Partial<PixClientOptions> = {}) {
  const reported: PixCall[] = [];
  const client = createPixClient({
    url,
    clientId: 'client',
    clientSecret: 'client-secret',
    key: KEY,
    onCall: (call) => reported.push(call),
    ...options,
  });
  t.teardown(() => client.close());
  return { client, reported };
}
