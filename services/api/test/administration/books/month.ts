import { addDays, dayOf, startOf } from '@payments/domain/days';
import { startSystem, type TestStore, type TestSystem } from '@payments/testing/system';
import pLimit from 'p-limit';

/** A month of payments of every kind in five stores, with the clocks of service and bank moving from day to day. */
export type Month = {
  system: TestSystem;
  stores: TestStore[];
  /** First and last day, São Paulo's. */
  from: string;
  to: string;
};

const days = 30;
const dayMs = 24 * 60 * 60_000;
const terms = [
  { feePercent: 1.99, feeFixed: 0.4 },
  { feePercent: 0.5 },
  { feeFixed: 1 },
  {},
  { feePercent: 3.4567, reviewAbove: 900 },
];

type Teardown = { teardown(end: () => Promise<void>): void };

/** @param random from 0 up to 1 */
export async function liveMonth(t: Teardown, payments: number, random: () => number): Promise<Month> {
  let offsetMs = -days * dayMs;
  const now = () => new Date(Date.now() + offsetMs);
  const env = { REVIEW_TIMEOUT_SECONDS: '86400', SCAN_INTERVAL_SECONDS: '1' };
  const system = await startSystem({ now, env });
  t.teardown(() => system.stop());
  const at = (moment: Date) => system.bank('/bank/clock', { now: moment.toISOString() });
  await at(now());
  const stores = await Promise.all(terms.map((fields) => system.createStore(fields)));
  const shop = { system, stores, random };
  const from = dayOf(now());
  for (let day = 0; day < days; day += 1) {
    const each = Math.round(payments / days);
    await pLimit(32).map(Array.from({ length: each }), () => live(shop));
    offsetMs += dayMs;
    await at(now());
  }
  offsetMs = startOf(addDays(dayOf(now()), 1)).getTime() - Date.now() + 60_000;
  await at(now());
  return { system, stores, from, to: dayOf(now()) };
}

type Shop = { system: TestSystem; stores: readonly TestStore[]; random: () => number };

/** One payment from its creation to one of its ends. */
async function live({ system, stores, random }: Shop): Promise<void> {
  const store = stores[Math.floor(random() * stores.length)]!;
  const [kind, share] = [random(), random()];
  const amount = Math.round(500 + random() * 99_500) / 100;
  const body = {
    amount,
    email: `cliente${Math.floor(share * 50)}@example.com`,
    observation: `Pedido ${kind}`,
  };
  const { body: payment } = await system.api('/api-public/payments', { token: store.token, body });
  if (kind < 0.05) return;
  const isWrong = kind < 0.12;
  const pay = (valor?: string) =>
    system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, ...(valor && { valor }) });
  const { endToEndId } = (await pay(isWrong ? (amount * 0.5).toFixed(2) : undefined)).body;
  // Most payments need nothing more, and nobody waits for their approval.
  if (kind >= 0.12 && kind <= 0.91) return;
  const status = await settled(system, payment.id);
  if (status === 'review' && kind < 0.1)
    await move(system, payment.id, share < 0.5 ? 'approved' : 'not_approved');
  if (isWrong) return;
  const part = (amount * share * 0.9).toFixed(2);
  if (kind > 0.95)
    await system.admin(`/admin/payments/${payment.id}/refunds`, {
      body: share < 0.3 ? {} : { amount: Number(part) },
    });
  else if (kind > 0.92)
    await system.bank('/bank/refunds', { endToEndId, valor: share < 0.3 ? amount.toFixed(2) : part });
  else await pay();
}

async function settled(system: TestSystem, id: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const { status } = (await system.admin(`/admin/payments/${id}`)).body;
    if (status !== 'pending' || tries > 200) return status;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const move = (system: TestSystem, id: string, status: string) =>
  system.admin(`/admin/payments/${id}/status`, { body: { status } });
