import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import t from 'tap';
import { createErrorAnswers, errorAnswers } from '../../src/http/errors/error-answers.ts';
import { largeAnswers } from '../../src/http/large-messages.ts';

/** Large answers that a reader asks for and does not take. */
const app = Fastify();
t.teardown(() => app.close());
await app.register(errorAnswers, { answerError: createErrorAnswers(() => {}).answerError });
await app.register(largeAnswers, { readerOf: ({ headers }) => String(headers.reader) });
app.route({
  method: ['GET', 'POST'],
  url: '/:length',
  handler: async ({ url }) => 'x'.repeat(Number(url.slice(1))),
});
await app.listen({ port: 0, host: '127.0.0.1' });
const { port } = app.server.address() as AddressInfo;

/** @returns the response, of which nothing more than its head is taken */
async function ask(reader: string, length: number, method = 'GET'): Promise<IncomingMessage> {
  const asked = request({ port, path: `/${length}`, method, headers: { reader }, agent: false }).end();
  const [response] = await once(asked, 'response');
  return response;
}
async function take(response: IncomingMessage): Promise<number> {
  const chunks = await response.toArray();
  return response.statusCode === 200 ? Buffer.concat(chunks).length : (response.statusCode ?? 0);
}
/** The server hears a moment later that an answer was taken, or its reader has gone. */
async function untilTaken(reader: string, length: number): Promise<number> {
  for (;;) {
    const taken = await take(await ask(reader, length));
    if (taken !== 429) return taken;
  }
}

// More than the system’s buffers between two sockets take.
const large = 12 * 1_024 * 1_024;

t.test('what a reader has not taken is bounded; nobody else is refused for it', async (t) => {
  const open = await ask('a', large);
  const refused = await ask('a', large);
  t.equal(refused.headers['retry-after'], '5');
  t.equal(await take(refused), 429);
  t.equal(await take(await ask('a', 100)), 100, 'a small one');
  t.equal(await take(await ask('b', large)), large, 'another reader’s');
  t.equal(await take(open), large);
  t.equal(await untilTaken('a', large), large, 'there is room again');
});

t.test('who goes away leaves room, and one answer may be of any length', async (t) => {
  const open = await ask('c', 2 * large);
  open.destroy();
  t.equal(await untilTaken('c', 2 * large), 2 * large);
});

t.test('small answers that wait behind others on their connection count, too', async (t) => {
  const client = connect(port, '127.0.0.1');
  t.teardown(() => client.destroy());
  const of = (length: number) => `GET /${length} HTTP/1.1\r\nHost: x\r\nReader: d\r\n\r\n`;
  client.pause();
  client.write(of(large) + of(60_000).repeat(90));
  for (;;) {
    const refused = await ask('d', 5 * 1_024 * 1_024);
    if ((await take(refused)) === 429) break;
  }
  client.resume();
  let text = '';
  for await (const chunk of client.setEncoding('latin1')) {
    text += String(chunk).replaceAll(/x+/g, '');
    if (text.split('HTTP/1.1 ').length === 92) break;
  }
  t.ok(text.split('HTTP/1.1 429').length > 10);
  t.ok(text.split('HTTP/1.1 200').length > 60);
});

t.test('a change has taken place, so its answer is told whatever waits before it', async (t) => {
  const open = await ask('e', large);
  t.equal(await take(await ask('e', large)), 429, 'a read is refused');
  t.equal(await take(await ask('e', large, 'POST')), large, 'a large answer');
  const client = connect(port, '127.0.0.1');
  t.teardown(() => client.destroy());
  const of = (method: string, length: number) =>
    `${method} /${length} HTTP/1.1\r\nHost: x\r\nReader: e\r\nContent-Length: 0\r\n\r\n`;
  client.write(of('POST', large) + of('POST', 100) + of('GET', large));
  let text = '';
  let statuses: string[] = [];
  for await (const chunk of client.setEncoding('latin1')) {
    text += String(chunk).replaceAll(/x+/g, '');
    statuses = [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status = '']) => status);
    if (statuses.length === 3) break;
  }
  t.strictSame(statuses, ['200', '200', '429'], 'those that wait behind others on their connection');
  t.equal(await take(open), large);
});
