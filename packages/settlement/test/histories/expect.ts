import { type Act, hear, isAllowed, learn, type Model, perform } from './model.ts';
import { endNamed } from './named.ts';
import type { Said } from './service.ts';

/** A requested act and its end: done, refused by a rule, not done, or unknown. */
export type Asked = { act: Act; end: 'done' | 'refused' | 'undone' | 'unknown' };

type Moment = Asked | 'hear';

/** A step's requests for a payment; `atOnce` if they were concurrent. */
export type Step = { asked: readonly Asked[]; atOnce: boolean };

/** @returns the possible orders of a step's moments: a single call first hears, then acts */
function orders({ asked, atOnce }: Step): Moment[][] {
  return choices(asked).flatMap((acts) => {
    return atOnce ? permutations<Moment>(['hear', ...acts]) : [['hear', ...acts]];
  });
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

function follow(model: Model, said: Said, moment: Moment): string[] {
  if (moment === 'hear') {
    hear(model, said.pix);
    return [];
  }
  const { act, end } = moment;
  const what = JSON.stringify(act);
  if (end === 'done') return perform(model, act) ? [] : [`${what} was carried out, and is not allowed`];
  return end === 'refused' && isAllowed(model, act) ? [`${what} was refused, and is allowed`] : [];
}
