import { randomUUID } from 'node:crypto';
import type { Answer } from '../ask.ts';
import { breach, count, type SeenPayment } from '../observations.ts';
import { centavos, type RefundShown } from '../verdict/evidence.ts';
import { isApproved } from './administrator.ts';
import { rest, until, type World } from './world.ts';

const patienceMs = 20_000;

/** Refunds an approved payment: whole or in part, once, twice at once, or twice with one Idempotency-Key. */
export async function refundApproved(world: World, payment: SeenPayment): Promise<void> {
  if (!(await isApproved(world, payment))) return;
  const { random } = world;
  await rest(world, random.between(0, 2_000));
  const share = random.pick([undefined, 0.5, 0.3]);
  const part = share && Math.ceil(centavos(payment.request.amount) * share);
  const key = randomUUID();
  const keys = random.pick([[key], [undefined, undefined], [key, key], [key, randomUUID()]]);
  const ids = await Promise.all(keys.map((one) => refund(world, payment, part, one)));
  const isOneOrder = keys[0] !== undefined && keys[0] === keys[1];
  if (!isOneOrder || new Set(ids.filter((id) => id !== undefined)).size < 2) return;
  const says = `one Idempotency-Key ordered two refunds: ${ids}`;
  breach(world.observations, 4, says, payment.id);
}

/**
 * Orders a refund. With a key, it repeats until there is a response: that must order one refund.
 * @returns its id, if it was ordered
 */
async function refund(
  world: World,
  payment: SeenPayment,
  part: number | undefined,
  key?: string,
): Promise<string | undefined> {
  const order = () => send(world, payment, part, key);
  const answer = await (key === undefined ? order() : untilAnswered(order));
  if (answer?.status === 202) return enter(world, payment, answer.body, part);
  if (!isAnswered(answer)) payment.unansweredRefunds += 1;
  return undefined;
}

const isAnswered = (answer: Answer<unknown> | undefined) =>
  typeof answer?.status === 'number' && answer.status < 500;

async function untilAnswered(order: () => Promise<Answer<RefundShown>>) {
  return until(patienceMs, async () => {
    const answer = await order();
    return isAnswered(answer) ? answer : undefined;
  });
}

function enter(
  { observations }: World,
  payment: SeenPayment,
  { id, amount }: RefundShown,
  part: number | undefined,
): string {
  if (payment.refunds.some((known) => known.id === id)) return id;
  // A late response may show the order reduced by a return of the bank.
  payment.refunds.push({ id, amount: part ?? centavos(amount), at: Date.now(), isNamed: part !== undefined });
  count(observations, 'refunds ordered');
  return id;
}

function send(
  { admin }: World,
  { id }: SeenPayment,
  part: number | undefined,
  key: string | undefined,
): Promise<Answer<RefundShown>> {
  const order = { reason: 'the customer asked for it', ...(part !== undefined && { amount: part / 100 }) };
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return admin<RefundShown>('refund', `/admin/payments/${id}/refunds`, order, headers);
}

type Owed = { items: (RefundShown & { paymentId: string | null })[] };

/** Orders an owed refund again, as an administrator does. */
export async function retryOwed(world: World): Promise<void> {
  const { admin, observations, random } = world;
  const list = await admin<Owed>('look', '/admin/refunds?state=failed');
  if (list.status !== 200) return;
  const owed = list.body.items.filter(({ owedAmount }) => owedAmount !== null);
  if (owed.length === 0) return;
  const { id, paymentId } = random.pick(owed);
  const path = `/admin/payments/${paymentId}/refunds/${id}/retry`;
  const answer = await admin('refund', path, {});
  if (answer.status === 202) count(observations, 'refunds ordered again by a person');
}
