import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { untilAnswered } from '@payments/testing/pause';
import Fastify from 'fastify';
import t from 'tap';
import { createErrorAnswers, errorAnswers } from '../../src/http/errors/error-answers.ts';
import { largeBodies } from '../../src/http/large-messages.ts';

/** Large bodies of one sender, and what others send meanwhile. */
const app = Fastify();
t.teardown(() => app.close());
await app.register(errorAnswers, { answerError: createErrorAnswers(() => {}).answerError });
await app.register(largeBodies, { senderOf: ({ headers }) => String(headers.sender) });
app.post('/', async ({ body }) => String((body as { text: string }).text.length));
await app.listen({ port: 0, host: '127.0.0.1' });
const { port } = app.server.address() as AddressInfo;

/** @param length given as `Content-Length`; the body comes in chunks without it */
function open(sender: string, length?: number): ClientRequest {
  const headers = {
    sender,
    'content-type': 'application/json',
    ...(length !== undefined && { 'content-length': length }),
  };
  return request({ port, method: 'POST', headers, agent: false });
}
async function answerOf(sent: ClientRequest): Promise<string> {
  const [response] = await once(sent, 'response');
  const texts = await response.setEncoding('utf8').toArray();
  return response.statusCode === 200 ? texts.join('') : String(response.statusCode);
}
const bodyOf = (size: number) => JSON.stringify({ text: 'x'.repeat(size) });
const send = (sender: string, size: number, isChunked = false) => {
  const body = bodyOf(size);
  const sent = open(sender, isChunked ? undefined : body.length);
  sent.end(body);
  return answerOf(sent);
};

for (const isChunked of [false, true]) {
  t.test(`a large body that does not end delays its sender’s alone, chunked: ${isChunked}`, async (t) => {
    const body = bodyOf(100_000);
    const connected = once(app.server, 'connection');
    const slow = open('a', isChunked ? undefined : body.length);
    slow.write(body.slice(0, 90_000));
    const answered = answerOf(slow);
    const [socket] = await connected;
    while (socket.bytesRead < 90_000) await nextTurn();
    const waiting = Array.from({ length: 120 }, () => send('a', 80_000, isChunked));
    t.equal(await Promise.race(waiting), '429');
    t.equal(await send('a', 10, isChunked), '10', 'a small one waits for nothing');
    t.equal(await send('b', 80_000, isChunked), '80000', 'nor another sender’s');
    await untilAnswered(waiting, 21);
    slow.end(body.slice(90_000));
    t.equal(await answered, '100000');
    const answers = Map.groupBy(await Promise.all(waiting), (one) => one);
    t.strictSame([answers.get('80000')?.length, answers.get('429')?.length], [99, 21]);
  });
}

t.test('a sender that goes away leaves the turn', async (t) => {
  const gone = open('c', 100_000).on('error', () => {});
  gone.write('x'.repeat(90_000));
  const waiting = Array.from({ length: 120 }, () => send('c', 80_000));
  await Promise.race(waiting);
  gone.destroy();
  t.ok((await Promise.all(waiting)).includes('80000'));
});
