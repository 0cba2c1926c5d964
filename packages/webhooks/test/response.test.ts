import t from 'tap';
import { buildConnector, Client } from 'undici';
import { responseTo } from '../src/response.ts';
import { always, answer, listen } from './listener.ts';

t.test('a connection that comes after the deadline is not used', async (t) => {
  const receiver = await listen(t, always(answer(200)));
  const connect = buildConnector({});
  const tried = Promise.withResolvers<() => void>();
  const client = new Client(receiver.url, {
    connect: (...args) => tried.resolve(() => connect(...args)),
  });
  t.teardown(() => client.close());
  const request = { path: '/', method: 'POST', body: '{}' };
  const late = responseTo(client, request, { withinMs: 20, maxResponseBytes: 100 });
  const goOn = await tried.promise;
  await t.rejects(late, { stage: 'timeout', code: 'not_connected_in_time' });
  goOn();
  await receiver.connection();
  await receiver.idle();
  t.equal(receiver.received(), '');
});

t.test('a response is cut at the first byte too many', async (t) => {
  const receiver = await listen(t, always(answer(200, 'x'.repeat(100))));
  const client = new Client(receiver.url);
  t.teardown(() => client.close());
  const request = { path: '/', method: 'POST', body: '{}' };
  const withinMs = 5_000;
  for (const maxResponseBytes of [100, 101, 99, 100]) {
    const result = await responseTo(client, request, { withinMs, maxResponseBytes });
    t.match(result, { status: 200, responseExcerpt: 'x'.repeat(100) });
  }
  t.equal(receiver.connections.length, 2, 'only the third was cut off');
});
