import { askedOf } from './asked.ts';
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

/** A payment with all that is known of it after the latest step. */
export type Subject = {
  name: string;
  id: string;
  txid: string;
  /** What a customer scans. */
  code: string;
  /** When the service gives it up unpaid. */
  closesAt: number;
  model: Model;
  said: Said;
  bank: Charge;
  /** Since when the service has had it in review. */
  reviewSince: number;
};

export type History = { world: World; subjects: Subject[]; story: Story; tally: Tally };

export async function beginHistory(world: World, plan: Plan, tally: Tally): Promise<History> {
  await world.bank.faults({});
  await world.skew(0);
  const stores = await Promise.all(plan.stores.map((terms) => world.createStore(terms)));
  const subjects: Subject[] = [];
  for (const [at, { amount, store }] of plan.payments.entries()) {
    const { terms, create } = stores[store]!;
    const { id, txid } = await create(amount);
    const [bank, said] = await Promise.all([world.bank.charge(txid), readService(world.context.db, id)]);
    const model = newModel(amount, terms, bank.expiresAt);
    const closesAt = world.context.now().getTime() + (chargeSeconds + graceSeconds) * 1_000;
    subjects.push({
      name: 'AB'[at]!,
      id,
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
 * @param options.isQuiet a step that did nothing is not looked at: at the end of a history most do
 * @throws Error with the story so far, where the service differs from the model
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
  history.story.after(history.subjects);
  fail(history, found.flat());
}

/** Brings a payment's model behind a step. @returns where the service differs from it */
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
  // A look at the list that broke off comes again; what a killed process heard is lost.
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
