import { call } from '@payments/testing/http';
import { type Received, startReceiver } from '@payments/testing/receiver';
import { startReplicatedSystem } from '@payments/testing/replicated-system';
import { eventually } from '@payments/testing/system';
import t from 'tap';

/** Rounds of restarts of both services; `ROUNDS=20` makes it a benchmark. */
const rounds = Number(process.env.ROUNDS ?? 1);
const clients = 6;
const perSecond = 60;
t.setTimeout(60_000 + rounds * 30_000);

const system = await startReplicatedSystem();
const receiver = await startReceiver();
t.teardown(async () => {
  await system.stop();
  await receiver.close();
});
const store = await system.createStore();

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever was answered
type Body = any;

/** Creates, pays and reads steadily; half of the clients keep their connections, half open one per request. */
function startSteadyLoad() {
  const created: Body[] = [];
  const failed: unknown[] = [];
  let [requests, stopped] = [0, false];
  const ask = async (path: string, keepAlive: boolean, body?: unknown): Promise<Body> => {
    requests += 1;
    const headers = keepAlive ? {} : { connection: 'close' };
    const answer = await call(system.url + path, { token: store.token, headers, body }).catch(
      (error: Error) => ({ status: 0, body: String(error.cause ?? error) }),
    );
    if (answer.status === 200) return answer.body;
    failed.push({ path, keepAlive, ...answer });
    return undefined;
  };
  const client = async (_: unknown, index: number) => {
    const keepAlive = index % 2 === 0;
    while (!stopped) {
      const payment = await ask('/api-public/payments', keepAlive, { amount: 10, webhookUrl: receiver.url });
      if (payment) {
        created.push(payment);
        await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
        await ask(`/api-public/payments/${payment.id}`, keepAlive);
      }
      await new Promise((resolve) => setTimeout(resolve, (1_000 * clients) / perSecond));
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    created,
    failed,
    requests: () => requests,
    stop: async () => {
      stopped = true;
      await running;
    },
  };
}

const idOf = ({ headers }: Received) => String(headers['webhook-id']);

t.test('both services restart, one replica after another, under load: no request fails', async (t) => {
  const load = startSteadyLoad();
  await receiver.waitForCount(10, 30_000);
  for (let round = 0; round < rounds; round += 1) {
    for (const service of ['api', 'dispatcher'] as const) {
      const ends = await system.restart(service);
      for (const { code, ms } of ends) t.equal(code, 0, `${service} ended in order after ${ms} ms`);
    }
  }
  await load.stop();
  t.same(load.failed, [], 'no request failed');
  t.equal(system.balancers.api.refused(), 0, 'there was a replica for every connection');

  const told = () => new Map(receiver.received.map((request) => [idOf(request), request]));
  await eventually(30_000, 'every webhook', async () => told().size >= 2 * load.created.length || undefined);
  const byPayment = Map.groupBy(told().values(), ({ body }) => JSON.parse(body).id as string);
  for (const { id } of load.created)
    t.same(
      byPayment.get(id)?.map(({ body }) => JSON.parse(body).status),
      ['pending', 'approved'],
      'each payment’s two events, each under one id, in order',
    );
  const { body: left } = await system.admin('/admin/deliveries?state=dead');
  t.equal(left.total, 0, 'no delivery is dead');
  const repeated = receiver.received.length - told().size;
  t.comment(`${load.requests()} requests, ${load.created.length} payments, ${repeated} webhooks repeated`);
});
