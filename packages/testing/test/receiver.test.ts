import t from 'tap';
import { startReceiver } from '../src/receiver.ts';

const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', body, headers: { 'x-kind': 'test' } });

t.test('a receiver keeps requests and responds 200', async (t) => {
  const receiver = await startReceiver();
  t.teardown(() => receiver.close());
  t.equal((await post(receiver.url, 'one')).status, 200);
  t.match(receiver.received, [
    { method: 'POST', path: '/webhook', headers: { 'x-kind': 'test' }, body: 'one' },
  ]);
});

t.test('waitFor finds a past or a future request', async (t) => {
  const receiver = await startReceiver();
  t.teardown(() => receiver.close());
  const later = receiver.waitFor(({ body }) => body === 'second');
  await post(receiver.url, 'first');
  await post(receiver.url, 'second');
  t.equal((await later).body, 'second');
  t.equal((await receiver.waitFor(({ body }) => body === 'first')).body, 'first');
  t.equal((await receiver.waitForCount(2)).length, 2);
});

t.test('waitFor gives up after its time', async (t) => {
  const receiver = await startReceiver();
  t.teardown(() => receiver.close());
  await t.rejects(
    receiver.waitFor(() => true, 20),
    { name: 'AbortError' },
  );
});

t.test('responses depend on the request, and can change', async (t) => {
  const receiver = await startReceiver({ answer: () => ({ status: 500, body: 'no' }) });
  t.teardown(() => receiver.close());
  t.equal(await (await post(receiver.url, 'one')).text(), 'no');
  receiver.answerWith(({ body }) => ({
    status: body === 'two' ? 202 : 410,
    headers: { 'retry-after': '7' },
  }));
  const second = await post(receiver.url, 'two');
  t.equal(second.status, 202);
  t.equal(second.headers.get('retry-after'), '7');
  receiver.answerWith(() => undefined);
  await t.rejects(
    fetch(receiver.url, { signal: AbortSignal.timeout(50) }),
    { name: 'TimeoutError' },
    'one that never answers',
  );
});
