import { count, type PaymentBody } from '../account.ts';
import { pause, type World } from '../load/world.ts';
import type { PaymentDetail } from './evidence.ts';

/** What is still to be done: by it, whether everything has caught up. */
export type Unsettled = { pending: number; inReview: number; deliveries: number };

const patienceMs = 150_000;
const everyMs = 1_000;

/**
 * Waits, when all faults are over, until the system has caught up: nothing pending, in review or to deliver. Reviews whose refund the bank refused for good are a person's to decide: they are decided here.
 * @returns how long it took, and what was left
 */
export async function untilSettled(
  world: World,
  tell: (line: string) => void,
): Promise<{ ms: number; left: Unsettled }> {
  const from = Date.now();
  const left = await whileUnsettled(world, from, tell);
  return { ms: Date.now() - from, left };
}

async function whileUnsettled(world: World, from: number, tell: (line: string) => void): Promise<Unsettled> {
  for (;;) {
    const left = await look(world);
    if (Object.values(left).every((number) => number === 0)) return left;
    if (Date.now() - from > patienceMs) return left;
    const text = Object.entries(left).map(([what, number]) => `${number} ${what}`);
    tell(`catching up: ${text.join(', ')}`);
    await decideStuckReviews(world);
    await pause(everyMs);
  }
}

async function look(world: World): Promise<Unsettled> {
  const { stores } = world.account;
  const totals = (status: string) => Promise.all(stores.map((store) => total(world, store.token, status)));
  const [pending, inReview] = [await totals('pending'), await totals('review')];
  const deliveries = await adminTotal(world, '/admin/deliveries?state=pending&limit=1');
  return { pending: add(pending), inReview: add(inReview), deliveries };
}

const add = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

async function total(world: World, token: string | undefined, status: string): Promise<number> {
  const path = `${world.url}/api-public/payments?limit=1&status=${status}`;
  const answer = await world.ask<{ total: number }>('settle', path, { token: token ?? '' });
  return answer.status === 200 ? answer.body.total : 1;
}

async function adminTotal(world: World, path: string): Promise<number> {
  const answer = await world.ask<{ total: number }>('settle', world.adminUrl + path, {
    token: world.adminKey,
  });
  return answer.status === 200 ? answer.body.total : 1;
}

async function decideStuckReviews(world: World): Promise<void> {
  for (const store of world.account.stores) {
    const path = `${world.url}/api-public/payments?limit=200&status=review`;
    const answer = await world.ask<{ items: PaymentBody[] }>('settle', path, { token: store.token ?? '' });
    if (answer.status !== 200) continue;
    for (const { id } of answer.body.items) await decideIfStuck(world, id);
  }
}

async function decideIfStuck(world: World, id: string): Promise<void> {
  const path = `${world.adminUrl}/admin/payments/${id}`;
  const detail = await world.ask<PaymentDetail>('settle', path, { token: world.adminKey });
  if (detail.status !== 200 || !detail.body.refunds.some(({ state }) => state === 'failed')) return;
  const body = { status: 'not_approved', reason: 'the bank refused its refund' };
  const answer = await world.ask('settle', `${path}/status`, { token: world.adminKey, body });
  if (answer.status === 200) count(world.account, 'reviews decided because the bank refused the refund');
}
