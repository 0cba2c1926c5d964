import { pause, type World } from '../load/world.ts';
import type { AttackedMail, SeenMail } from '../mail/mail.ts';
import { count, type PaymentBody } from '../observations.ts';
import { untoldAtEnd } from '../promises/told-people.ts';
import { pace } from '../system/system.ts';
import type { Evidence, PaymentDetail, RefundShown } from './evidence.ts';

/** The work left before everything has caught up. */
export type Unsettled = { pending: number; inReview: number; refunds: number; deliveries: number };

const patienceMs = 150_000;
// A charge that is set aside is tried again after ten seconds, then twenty, then forty.
const problemsMs = 75_000;
const everyMs = 1_000;

/**
 * Waits after the last fault until the system has caught up: nothing is pending, in review, to be refunded or to be
 * delivered. A review's refund that the bank keeps refusing is ordered again here, as a person would.
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

// The longest pause of a mail, and a lease that a killed process has left.
const mailPatienceMs = 130_000;

/**
 * Waits until people have been told of all that stands at the end.
 * @returns all mails that arrived
 */
export async function untilTold(mail: AttackedMail, evidence: Evidence): Promise<SeenMail[]> {
  const until = Date.now() + mailPatienceMs;
  while (untoldAtEnd(mail.taken(), evidence).length > 0 && Date.now() < until) await pause(everyMs);
  return mail.taken();
}

async function whileUnsettled(world: World, from: number, tell: (line: string) => void): Promise<Unsettled> {
  for (;;) {
    const left = await look(world);
    const waitedMs = Date.now() - from;
    const isCaughtUp = Object.values(left).every((number) => number === 0);
    if (isCaughtUp && (waitedMs > problemsMs || (await chargeProblems(world)) === 0)) return left;
    if (waitedMs > patienceMs) return left;
    const text = Object.entries(left).map(([what, number]) => `${number} ${what}`);
    tell(`catching up: ${text.join(', ')}`);
    await freeStuckReviews(world);
    await pause(everyMs);
  }
}

async function look(world: World): Promise<Unsettled> {
  const { stores } = world.observations;
  const totals = (status: string) => Promise.all(stores.map((store) => total(world, store.token, status)));
  const [pending, inReview] = [await totals('pending'), await totals('review')];
  const deliveries = await adminTotal(world, '/admin/deliveries?state=pending&limit=1');
  return { pending: add(pending), inReview: add(inReview), refunds: await openRefunds(world), deliveries };
}

/** @returns how many charges are set aside: what the bank told of them may not be on record yet */
function chargeProblems(world: World): Promise<number> {
  return adminTotal(world, '/admin/charge-problems?limit=1');
}

/** @returns how many refunds are in progress or wait for the service's next order; owed ones wait for a person */
async function openRefunds(world: World): Promise<number> {
  const totals = ['requested', 'processing'].map((state) =>
    adminTotal(world, `/admin/refunds?state=${state}&limit=1`),
  );
  let waiting = 0;
  for (const test of [false, true]) {
    const path = `/admin/refunds?state=failed&limit=200&test=${test}`;
    const refused = await world.admin<{ items: RefundShown[] }>('settle', path);
    if (refused.status !== 200) return 1;
    waiting += refused.body.items.filter(({ orderAgainAt }) => orderAgainAt !== null).length;
  }
  return add(await Promise.all(totals)) + waiting;
}

const add = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

async function total(world: World, token: string | undefined, status: string): Promise<number> {
  const path = `/api-public/payments?limit=1&status=${status}`;
  const answer = await world.api<{ total: number }>('settle', path, { token });
  return answer.status === 200 ? answer.body.total : 1;
}

/** @returns the total of a list, with what it shows of test stores alone */
async function adminTotal(world: World, path: string): Promise<number> {
  const of = async (test: boolean) => {
    const answer = await world.admin<{ total: number }>('settle', `${path}&test=${test}`);
    return answer.status === 200 ? answer.body.total : 1;
  };
  return (await of(false)) + (await of(true));
}

async function freeStuckReviews(world: World): Promise<void> {
  for (const store of world.observations.stores) {
    const path = '/api-public/payments?limit=200&status=review';
    const answer = await world.api<{ items: PaymentBody[] }>('settle', path, { token: store.token });
    if (answer.status !== 200) continue;
    for (const { id } of answer.body.items) await orderAgainIfStuck(world, id);
  }
}

// The first order, and those that the service repeats by itself.
const refusalsOfOneOrder = 1 + pace.REFUND_RETRY_SECONDS.split(',').length;

/** Orders an owed refund once more. If it is refused again, the review is decided without it, and it stays owed. */
async function orderAgainIfStuck(world: World, id: string): Promise<void> {
  const path = `/admin/payments/${id}`;
  const detail = await world.admin<PaymentDetail>('settle', path);
  if (detail.status !== 200) return;
  const refused = detail.body.refunds.filter(({ state }) => state === 'failed');
  const isHopeless = refused.length > refusalsOfOneOrder;
  const reason = 'the bank refused the refund';
  for (const { id: refundId } of refused.filter(({ owedAmount }) => owedAmount !== null)) {
    const answer = isHopeless
      ? await world.admin('settle', `${path}/status`, { status: 'not_approved', reason })
      : await world.admin('settle', `${path}/refunds/${refundId}/retry`, { reason });
    if (answer.status === 202) count(world.observations, 'refunds of reviews ordered again by a person');
    if (answer.status === 200)
      count(world.observations, 'reviews decided because the bank refused the refund');
  }
}
