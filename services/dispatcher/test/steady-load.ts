import type { CreatedPayment } from '@payments/testing/answers';
import { call } from '@payments/testing/http';
import type { Received, Receiver } from '@payments/testing/receiver';
import type { ReplicatedSystem } from '@payments/testing/replicated-system';
import { eventually, type TestStore } from '@payments/testing/system';
import type { Test } from 'tap';

const clients = 6;
const perSecond = 60;

export type SteadyLoad = {
  created: CreatedPayment[];
  failed: unknown[];
  requests(): number;
  stop(): Promise<void>;
};

export type Scene = { system: ReplicatedSystem; store: TestStore; receiver: Receiver };

/** Creates, pays and reads steadily; half of the clients keep their connections, half open one per request. */
export function startSteadyLoad({ system, store, receiver }: Scene): SteadyLoad {
  const created: CreatedPayment[] = [];
  const failed: unknown[] = [];
  let [requests, stopped] = [0, false];
  const ask = async (
    path: string,
    keepAlive: boolean,
    body?: unknown,
  ): Promise<CreatedPayment | undefined> => {
    requests += 1;
    const headers = keepAlive ? {} : { connection: 'close' };
    const answer = await call<CreatedPayment>(system.url + path, { token: store.token, headers, body }).catch(
      (error: Error) => ({ status: 0, body: undefined, error: String(error.cause ?? error) }),
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
        const read = () => ask(`/api-public/payments/${payment.id}`, keepAlive);
        // A bank that was slow has registered the charge later.
        const later = async () => (await read())?.qrCopyPaste ?? undefined;
        const pixCopiaECola = payment.qrCopyPaste ?? (await eventually('a code to pay', later));
        await system.bank('/bank/pay', { pixCopiaECola });
        await read();
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

/**
 * Checks that each payment's two events came, in order, each under one id, and that no delivery is dead.
 * @returns how many webhooks came again
 */
export async function toldOfAll(t: Test, { system, receiver }: Scene, load: SteadyLoad): Promise<number> {
  const told = () => new Map(receiver.received.map((request) => [idOf(request), request]));
  await eventually('every webhook', async () => told().size >= 2 * load.created.length || undefined);
  const byPayment = Map.groupBy(told().values(), ({ body }) => JSON.parse(body).id as string);
  for (const { id } of load.created)
    t.same(
      byPayment.get(id)?.map(({ body }) => JSON.parse(body).status),
      ['pending', 'approved'],
      'each payment’s two events, each under one id, in order',
    );
  const { body: left } = await system.admin('/admin/deliveries?state=dead');
  t.equal(left.total, 0, 'no delivery is dead');
  return receiver.received.length - told().size;
}
