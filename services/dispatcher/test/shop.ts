import type {
  BankCharge,
  CreatedPayment,
  Paid,
  Payment,
  PaymentDetail,
  WebhookBody,
} from '@payments/testing/answers';
import type { HttpAnswer } from '@payments/testing/http';
import { type Received, startReceiver } from '@payments/testing/receiver';
import {
  eventually,
  type SystemOptions,
  startSystem,
  type TestStore,
  type TestSystem,
} from '@payments/testing/system';
import { readDetail } from '@payments/testing/system-client';

/** A test, reduced to its teardown. */
export type Ending = { teardown(end: () => Promise<void>): void };

/** A payment, of which a test needs no more. */
type Known = { id: string };
type Payable = Known & { qrCopyPaste?: string | null };

export type Webhook = { id: string; body: WebhookBody };

/** A store with a webhook receiver, its payer and its administrator. Amounts are reais. */
export type Shop = {
  system: TestSystem;
  store: TestStore;
  webhookUrl: string;
  /** Creates a payment; fails unless the response is 200. */
  charge(amount: number, fields?: Record<string, unknown>): Promise<CreatedPayment>;
  /**
   * Pays a payment's code as a customer.
   * @returns the bank's response, with `endToEndId`
   */
  pay(payment: Payable, fields?: { valor?: number | string; late?: boolean }): Promise<Paid>;
  read(payment: Known): Promise<Payment>;
  /** The administrators' view of a payment. */
  detail(payment: Known): Promise<PaymentDetail>;
  /** The charge at the bank, with its Pix and their refunds. */
  atBank(payment: Known): Promise<BankCharge>;
  decide(payment: Known, status: string): Promise<HttpAnswer>;
  untilStatus(payment: Known, status: string): Promise<Payment>;
  /** Polls the detail until `holds` is true. */
  untilDetail(
    payment: Known,
    what: string,
    holds: (detail: PaymentDetail) => boolean,
  ): Promise<PaymentDetail>;
  /** A payment's webhooks so far, one for each `webhook-id`, in order of first arrival. */
  webhooks(payment: Known): Webhook[];
  /** Resolves when a payment has had this many webhooks. */
  untilWebhooks(payment: Known, count: number): Promise<Webhook[]>;
  /** Every request that the receiver got. */
  received: Received[];
};

export async function openSystem(t: Ending, options: SystemOptions = {}): Promise<TestSystem> {
  const system = await startSystem({
    ...options,
    env: { RATE_LIMIT_PER_MINUTE: '0', SCAN_INTERVAL_SECONDS: '1', ...options.env },
  });
  t.teardown(system.stop);
  return system;
}

/** Opens a new store in a system. */
export async function openShop(
  t: Ending,
  system: TestSystem,
  fields: Record<string, unknown> = {},
): Promise<Shop> {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const store = await system.createStore(fields);
  const { received } = receiver;

  const read = async ({ id }: Known) =>
    (await system.api(`/api-public/payments/${id}`, { token: store.token })).body;
  const detail = async ({ id }: Known) => (await readDetail(system, id)).body;
  const webhooks = (payment: Known) => {
    const byId = new Map<string, Webhook>();
    for (const { headers, body } of received) {
      const id = String(headers['webhook-id']);
      const parsed = JSON.parse(body);
      if (parsed.id === payment.id && !byId.has(id)) byId.set(id, { id, body: parsed });
    }
    return [...byId.values()];
  };

  // A bank that has just misbehaved may have delayed the charge's registration.
  const codeOf = (payment: Known) =>
    eventually('a code to pay', async () => (await read(payment)).qrCopyPaste ?? undefined);

  return {
    system,
    store,
    received,
    webhookUrl: receiver.url,
    charge: async (amount, more = {}) => {
      const { status, body } = await system.api('/api-public/payments', {
        token: store.token,
        body: { amount, webhookUrl: receiver.url, ...more },
      });
      if (status !== 200) throw new Error(`not created: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    pay: async (payment, more = {}) => {
      const pixCopiaECola = payment.qrCopyPaste ?? (await codeOf(payment));
      const { status, body } = await system.bank('/bank/pay', { pixCopiaECola, ...more });
      if (status !== 201) throw new Error(`not paid: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    read,
    detail,
    atBank: async ({ id }) => (await system.bank(`/bank/charges/${id.replaceAll('-', '')}`)).body,
    decide: (payment, status) => system.admin(`/admin/payments/${payment.id}/status`, { body: { status } }),
    untilStatus: (payment, status) => system.waitForStatus(store, payment.id, status),
    untilDetail: (payment, what, holds) =>
      eventually(what, async () => {
        const known = await detail(payment);
        return holds(known) ? known : undefined;
      }),
    webhooks,
    untilWebhooks: (payment, count) =>
      eventually(`${count} webhooks`, async () => {
        const found = webhooks(payment);
        return found.length >= count ? found : undefined;
      }),
  };
}

/** @returns the statuses of a payment's webhooks: `created pending`, `pending approved`, … */
export function story(webhooks: readonly Webhook[]): string[] {
  return webhooks.map(({ body }) =>
    body.event === 'payment.created' ? `created ${body.status}` : `${body.previousStatus} ${body.status}`,
  );
}

/** A clock that a test moves and the system uses. */
export function testClock(): { now: () => Date; advance(seconds: number): void } {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advance: (seconds) => {
      offsetMs += seconds * 1_000;
    },
  };
}

/** Makes the bank misbehave while `during` runs. */
export async function withFaults<T>(
  system: TestSystem,
  faults: Record<string, unknown>,
  during: () => Promise<T>,
): Promise<T> {
  await system.bank('/bank/faults', faults);
  try {
    return await during();
  } finally {
    await system.bank('/bank/faults', {});
  }
}
