import { breach, type PaymentBody, type SeenPayment } from '../observations.ts';
import { pause, rest, until, type World } from './world.ts';

const reviewMs = 7_000;
/** Before these the service asks the bank. */
const askTheBank = ['approved', 'paid', 'withdrawal_processing'];

/** Waits for a review and decides it, unless it times out before. */
export async function decideReview(world: World, payment: SeenPayment): Promise<void> {
  const status = await until(reviewMs, async () => {
    const seen = await statusOf(world, payment);
    return seen !== undefined && seen !== 'pending' ? seen : undefined;
  });
  if (status !== 'review') return;
  await rest(world, world.random.between(0, reviewMs + 2_000));
  await move(world, payment, world.random.pick(['approved', 'not_approved']));
}

/** @returns whether a payment was approved, after waiting for it */
export async function isApproved(world: World, payment: SeenPayment): Promise<boolean> {
  const approved = await until(reviewMs, async () =>
    (await statusOf(world, payment)) === 'approved' ? true : undefined,
  );
  return approved === true;
}

/** Moves an approved payment through the internal statuses. */
export async function moveOn(world: World, payment: SeenPayment): Promise<void> {
  if (!(await isApproved(world, payment))) return;
  const ways = [
    ['paid', 'withdrawal_processing', 'receipt_sent'],
    ['paid', 'withdrawal_processing', 'rejected', 'withdrawal_processing', 'receipt_sent'],
    ['paid'],
  ];
  for (const to of world.random.pick(ways)) if (!(await move(world, payment, to))) return;
}

/** Cancels a payment that may be paid at the same time. */
export async function cancel(world: World, payment: SeenPayment): Promise<void> {
  await pause(world.random.between(0, 1_500));
  await move(world, payment, 'not_approved');
}

/** Asks for forbidden moves: each must be refused. */
export async function tryForbidden(world: World, payment: SeenPayment): Promise<void> {
  const to = world.random.pick(['approved', 'paid', 'receipt_sent', 'pending', 'review']);
  const answer = await ask(world, payment, to);
  if (answer.status !== 200) return;
  const says = `an administrator moved a pending payment to ${to}`;
  breach(world.observations, 4, says, payment.id);
}

/** @returns whether the response said that the payment moved */
export async function move(world: World, payment: SeenPayment, to: string): Promise<boolean> {
  const answer = await ask(world, payment, to);
  if (answer.status !== 200) return false;
  payment.moves.push({ to, at: answer.to });
  return true;
}

function ask(world: World, { id }: SeenPayment, status: string) {
  const what = askTheBank.includes(status) ? 'approve or pay out' : 'decide';
  return world.admin<PaymentBody>(what, `/admin/payments/${id}/status`, { status });
}

async function statusOf(world: World, { id }: SeenPayment): Promise<string | undefined> {
  const answer = await world.admin<PaymentBody>('look', `/admin/payments/${id}`);
  return answer.status === 200 ? answer.body.status : undefined;
}
