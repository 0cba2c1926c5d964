import { isAlive, isOurs, type Pix, reais, sumOf } from './facts.ts';
import { type Model, standing } from './model.ts';

/** An order of a named amount that the service has ended, since it fits no more. */
export type Ended = { endToEndId: string; refundId: string; amount: number };

/**
 * Takes ended orders from what people ordered.
 * @param before the Pix as the service knew them before the step
 * @returns those that fit what is left
 */
export function endNamed(model: Model, before: readonly Pix[], ended: readonly Ended[]): string[] {
  const found = ended.filter(({ refundId }) => !model.ended.includes(refundId));
  for (const { refundId, amount } of found) {
    model.ended.push(refundId);
    model.ordered -= amount;
  }
  return found
    .filter(({ endToEndId, amount }) => amount <= leftAtLeast(endToEndId, [...before, ...model.pix]))
    .map(({ amount }) => `an order of ${reais(amount)} has ended, and fits`);
}

/** @returns what is left of a Pix in the worst moment of a step: a return of it may have failed since */
function leftAtLeast(endToEndId: string, seen: readonly Pix[]): number {
  const shown = seen.filter(({ id }) => id === endToEndId);
  const gone = shown.flatMap(({ returns }) => returns.filter(isAlive)).map(({ id, amount }) => [id, amount]);
  const once = Object.fromEntries(gone) as Record<string, number>;
  return (shown[0]?.amount ?? 0) - sumOf(Object.values(once));
}

/** @returns in words, what goes back of an approved payment in an amount that nobody ordered */
export function cut(model: Model, pix: Pix): string[] {
  const mayBeAny = model.isAllOrdered || !['approved', 'paid'].includes(model.status);
  if (mayBeAny || pix.id !== standing(model)?.id) return [];
  const named = [...model.named];
  const wrong = pix.returns.filter((one) => {
    const at = isOurs(one) && isAlive(one) ? named.indexOf(one.amount) : -1;
    if (at >= 0) named.splice(at, 1);
    return isOurs(one) && isAlive(one) && at < 0;
  });
  return wrong.map(({ amount }) => `nobody ordered the ${reais(amount)} of ${pix.id} that go back`);
}
