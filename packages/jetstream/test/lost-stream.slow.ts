import { startNatsCluster } from '@payments/testing/nats-cluster';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { publish } from '../src/publish.ts';
import { listeningLog, openEvents, publication } from './stream.ts';

t.test('a stream of one copy whose server is gone: the failure says so', async (t) => {
  const cluster = await startNatsCluster();
  t.teardown(cluster.remove);
  const stream = 'LOST';
  await eventually('JetStream', () =>
    cluster.ask(({ streams }) => streams.add({ name: stream, subjects: ['lost.>'] })).catch(() => undefined),
  );
  const info = await cluster.ask(({ streams }) => streams.info(stream));
  const events = await openEvents(t, { url: cluster.url, stream }, listeningLog().log);
  t.equal((await publish(events, [publication()])).length, 1);
  await cluster.servers.get(info.cluster?.leader ?? '')?.kill();
  await eventually('another server', async () => events.isConnected() || undefined);
  const problem = await eventually('the failure', () =>
    publish(events, [publication()]).then(
      () => undefined,
      ({ message }: Error) => (/stream/.test(message) ? message : undefined),
    ),
  );
  t.equal(problem, 'JetStream says nothing about the stream LOST: its servers may be gone');
});
