import { type Act, hear, isAllowed, learn, type Model, perform, see } from './model.ts';
import { endNamed } from './named.ts';
import type { Said } from './service.ts';

/** A requested act and its end: done, refused by a rule, not done, or unknown. */
export type Asked = { act: Act; end: 'done' | 'refused' | 'undone' | 'unknown' };

/**
 * `see`: the Pix are heard of, without their new returns. `know`: what the service ordered for what it heard counts, too;
 * a decision that asks the bank comes after that.
 */
type Moment = Asked | 'hear' | 'see' | 'know';

/** A step's requests for a payment; `atOnce` if they were concurrent, `inParts` if the answers of a step may differ. */
export type Step = { asked: readonly Asked[]; atOnce: boolean; inParts: boolean };

/** @returns the possible orders of a step's moments: a single call first hears, then acts */
function orders({ asked, atOnce, inParts }: Step): Moment[][] {
  const whole = choices(asked).flatMap((acts): Moment[][] => {
    if (!acts.some(asksBank)) return atOnce ? permutations<Moment>(['hear', ...acts]) : [['hear', ...acts]];
    return atOnce ? permutations<Moment>(['hear', 'know', ...acts]) : [['hear', 'know', ...acts]];
  });
  return inParts ? [...whole, ...whole.map((moments): Moment[] => ['see', ...moments])] : whole;
}

function asksBank({ act }: Asked): boolean {
  return act.act === 'decide' && (act.to === 'paid' || act.to === 'withdrawal_processing');
}

/** An unknown end means done or not done. */
function choices([first, ...rest]: readonly Asked[]): Asked[][] {
  if (!first) return [[]];
  const ends = first.end === 'unknown' ? (['undone', 'done'] as const) : [first.end];
  return ends.flatMap((end) => choices(rest).map((others) => [{ act: first.act, end }, ...others]));
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

export type Expected = { model: Model; found: string[] };

/**
 * @param compare lists the differences between a model and the service
 * @returns the model after a step: the one that the service agrees with, else the first one with its differences
 */
export function expect(before: Model, said: Said, step: Step, compare: (model: Model) => string[]): Expected {
  let first: Expected | undefined;
  for (const moments of orders(step)) {
    const model = structuredClone(before);
    const found = moments.flatMap((moment) => follow(model, said, moment));
    learn(model, said.pix);
    found.push(...endNamed(model, before.pix, said.ended));
    found.push(...compare(model));
    if (found.length === 0) return { model, found };
    first ??= { model, found };
  }
  return first!;
}

const listening = { hear, see, know: learn };

function follow(model: Model, said: Said, moment: Moment): string[] {
  if (typeof moment === 'string') {
    listening[moment](model, said.pix);
    return [];
  }
  const { act, end } = moment;
  const what = JSON.stringify(act);
  if (end === 'done') return perform(model, act) ? [] : [`${what} was carried out, and is not allowed`];
  return end === 'refused' && isAllowed(model, act) ? [`${what} was refused, and is allowed`] : [];
}
