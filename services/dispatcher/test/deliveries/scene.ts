import type { CreatedPayment, DeliveryDetail } from '@payments/testing/answers';
import {
  eventually,
  type SystemOptions,
  startSystem,
  type TestStore,
  type TestSystem,
} from '@payments/testing/system';
import { createPayment, readDetail } from '@payments/testing/system-client';
import type { Test } from 'tap';
import { openSql, type Sql } from './sql.ts';

/** The service in this process or in others, as tests of deliveries use it. */
export type Service = Pick<TestSystem, 'admin' | 'createStore' | 'bank'> & { call: TestSystem['api'] };

/** A store's view of its payments' webhooks, and the administrator's. */
export type Shop = TestStore & {
  /**
   * Creates a payment.
   * @returns it
   */
  charge(webhookUrl: string, amount?: number): Promise<CreatedPayment>;
  /** Creates `count` payments at once. */
  chargeMany(count: number, urlOf: (index: number) => string): Promise<CreatedPayment[]>;
  /** Pays it as a customer. */
  pay(payment: { id: string; qrCopyPaste: string | null }): Promise<void>;
  /** Moves a payment as an administrator. */
  move(payment: { id: string }, status: string): Promise<void>;
  /** A payment's deliveries with their attempts, in the events' order. */
  deliveries(payment: { id: string }): Promise<DeliveryDetail[]>;
  /**
   * Waits until the payment's n-th delivery (from 0) matches.
   * @returns it
   */
  until(
    payment: { id: string },
    index: number,
    what: string,
    holds: (delivery: DeliveryDetail) => boolean,
  ): Promise<DeliveryDetail>;
};

export async function openShop(service: Service, fields?: Record<string, unknown>): Promise<Shop> {
  const store = await service.createStore(fields);
  const charge = (webhookUrl: string, amount = 10) =>
    createPayment(service.call, store.token, { amount, webhookUrl });
  const deliveries = async (payment: { id: string }) => {
    const { status, body } = await readDetail(service, payment.id);
    if (status !== 200) throw new Error(`not shown: ${status} ${JSON.stringify(body)}`);
    return body.deliveries.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1));
  };
  // A bank that was slow has registered the charge later.
  const codeOf = ({ id }: { id: string }) =>
    eventually('a code to pay', async () => {
      const { body } = await service.call(`/api-public/payments/${id}`, { token: store.token });
      return body.qrCopyPaste ?? undefined;
    });
  return {
    ...store,
    charge,
    chargeMany: (count, urlOf) => Promise.all(Array.from({ length: count }, (_, i) => charge(urlOf(i)))),
    pay: async (payment) => {
      const pixCopiaECola = payment.qrCopyPaste ?? (await codeOf(payment));
      const { status, body } = await service.bank('/bank/pay', { pixCopiaECola });
      if (status !== 201) throw new Error(`the bank refused: ${JSON.stringify(body)}`);
    },
    move: async (payment, to) => {
      const path = `/admin/payments/${payment.id}/status`;
      const { status, body } = await service.admin(path, { body: { status: to } });
      if (status !== 200) throw new Error(`no move to ${to}: ${JSON.stringify(body)}`);
    },
    deliveries,
    until: async (payment, index, what, holds) => {
      await eventually(`delivery ${index} to be ${what}`, async () => {
        const delivery = (await deliveries(payment))[index];
        return delivery && holds(delivery) ? true : undefined;
      });
      // A delivery and its attempts are read one after the other; this read is consistent.
      return (await deliveries(payment))[index]!;
    },
  };
}

export type Scene = { system: TestSystem; shop: Shop; sql: Sql };

/** The service in this process with one store; ended with the test file. */
export async function openScene(t: Pick<Test, 'teardown'>, options: SystemOptions = {}): Promise<Scene> {
  // Receivers note times by this clock, too. PostgreSQL's is known only to within the round trip of a sample.
  const now = () => new Date();
  const system = await startSystem({ now, ...options, env: { SCAN_INTERVAL_SECONDS: '1', ...options.env } });
  t.teardown(system.stop);
  const sql = openSql(t, system.env.DATABASE_URL ?? '');
  return { system, sql, shop: await openShop({ ...system, call: system.api }) };
}
