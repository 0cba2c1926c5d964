import { askedOf } from './asked.ts';
import { booksDiffer } from './books.ts';
import { differences, unheard, untruths } from './check.ts';
import { expect } from './expect.ts';
import type { Charge } from './facts.ts';
import { type Model, newModel } from './model.ts';
import { readService, type Said } from './service.ts';
import type { Plan, Step } from './steps.ts';
import { newStory, type Story } from './story.ts';
import { change, type Done, isWork, work } from './take.ts';
import type { Tally } from './tally.ts';
import { chargeSeconds, graceSeconds, type World } from './world.ts';

/** A payment, with the test's knowledge of it after the latest step. */
export type Subject = {
  name: string;
  id: string;
  storeId: string;
  txid: string;
  /** The code that a customer pays. */
  code: string;
  /** When the service closes it unpaid. */
  closesAt: number;
  model: Model;
  said: Said;
  bank: Charge;
  /** When it came into review. */
  reviewSince: number;
};

export type History = { world: World; subjects: Subject[]; story: Story; tally: Tally };

export async function beginHistory(world: World, plan: Plan, tally: Tally): Promise<History> {
  await world.bank.faults({});
  await world.skew(0);
  const stores = await Promise.all(plan.stores.map((terms) => world.createStore(terms)));
  const subjects: Subject[] = [];
  for (const [at, { amount, store }] of plan.payments.entries()) {
    const { id: storeId, terms, create } = stores[store]!;
    const { id, txid } = await create(amount);
    const [bank, said] = await Promise.all([world.bank.charge(txid), readService(world.context.db, id)]);
    const model = newModel(amount, terms, bank.expiresAt);
    const closesAt = world.context.now().getTime() + (chargeSeconds + graceSeconds) * 1_000;
    subjects.push({
      name: 'AB'[at]!,
      id,
      storeId,
      txid,
      code: bank.code,
      closesAt,
      model,
      said,
      bank,
      reviewSince: 0,
    });
  }
  await Promise.all(stores.map(({ changeFees }) => changeFees()));
  const story = newStory();
  story.begin(subjects);
  return { world, subjects, story, tally };
}

/**
 * @param options.isQuiet skips the comparison after a step without effect; most are at the end of a history
 * @throws Error with the story so far, if the service differs from the model
 */
export async function takeStep(history: History, step: Step, { isQuiet = false } = {}): Promise<void> {
  const { world, story } = history;
  story.step(step, world.context.now().getTime());
  world.front.listen();
  const done = isWork(step) ? await work(history, step) : await change(history, step);
  history.tally.step(done);
  if (!isQuiet || done.some(({ outcome }) => outcome.says !== '0') || world.front.heard().charges.size > 0)
    await compareAll(history, done);
}

export async function compareAll(history: History, done: readonly Done[]): Promise<void> {
  const found = await Promise.all(history.subjects.map((subject) => compare(history, subject, done)));
  found.push(await booksDiffer(history.world.context.db, history.subjects));
  history.story.after(history.subjects);
  fail(history, found.flat());
}

/**
 * Advances a payment's model by a step.
 * @returns the differences to the service
 */
async function compare({ world }: History, subject: Subject, done: readonly Done[]): Promise<string[]> {
  const { name, model, txid } = subject;
  const [said, bank] = await Promise.all([
    readService(world.context.db, subject.id),
    world.bank.charge(txid),
  ]);
  const now = world.context.now().getTime();
  const heard = world.front.heard();
  const asked = done.flatMap(({ operation, outcome }) =>
    askedOf(operation, outcome, subject, { now, heard }),
  );
  const { model: next, found } = expect(model, said, { asked, atOnce: done.length > 1 }, (one) =>
    differences(one, said, bank),
  );
  const ends = done.map(({ outcome }) => outcome.end);
  // An interrupted reading of the list is repeated; a killed process loses what it heard.
  const told = ends.includes('unavailable') ? { ...heard, listed: new Map() } : heard;
  const lost = ends.includes('killed') ? [] : unheard(said, txid, told);
  if (said.status === 'review' && subject.said.status !== 'review') subject.reviewSince = now;
  const isWaiting = said.open.some(({ endToEndId }) => endToEndId === next.standsOn);
  Object.assign(subject, { model: { ...next, isWaiting }, said, bank });
  return [...untruths(said, bank), ...lost, ...found].map((text) => `${name}: ${text}`);
}

export function fail({ story }: History, found: readonly string[]): void {
  if (found.length === 0) return;
  throw new Error(`${found.join('\n')}\n\n${story.text()}\n`);
}
