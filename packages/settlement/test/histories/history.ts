import { askedOf } from './asked.ts';
import { booksDiffer } from './books.ts';
import { differences, unheard, untruths } from './check.ts';
import { expect } from './expect.ts';
import type { Charge, Pix } from './facts.ts';
import type { Model } from './model.ts';
import { placeDiffers } from './place.ts';
import { readService, type Said } from './service.ts';
import type { Step } from './steps.ts';
import type { Story } from './story.ts';
import { change, type Done, isWork, work } from './take.ts';
import type { Tally } from './tally.ts';
import type { World } from './world.ts';

/** A payment, with the test's knowledge of it after the latest step. */
export type Subject = {
  name: string;
  id: string;
  storeId: string;
  txid: string;
  /** When the service closes it unpaid. */
  closesAt: number;
  model: Model;
  /** The banks that may take its charge. */
  banks: readonly string[] | null;
  said: Said;
  /** Its charge at each bank. */
  charges: Charge[];
  /** Its Pix at all banks. */
  pix: Pix[];
  /** When it came into review. */
  reviewSince: number;
};

export type History = { world: World; subjects: Subject[]; story: Story; tally: Tally };

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
  const { name, txid } = subject;
  const [said, ...charges] = await Promise.all([
    readService(world.context.db, subject.id),
    ...world.banks.map((bank) => bank.charge(txid)),
  ]);
  const pix = charges.flatMap((charge) => charge.pix);
  const deadlines = Object.fromEntries(charges.map(({ bank, expiresAt }) => [bank, expiresAt]));
  const model = { ...subject.model, bank: subject.model.bank ?? said.bank, deadlines };
  const misplaced = placeDiffers(subject, said, charges);
  const now = world.context.now().getTime();
  const heard = world.front.heard();
  const asked = done.flatMap(({ operation, outcome }) =>
    askedOf(operation, outcome, subject, { now, heard }),
  );
  const { model: next, found } = expect(model, said, { asked, atOnce: done.length > 1 }, (one) =>
    differences(one, said, { pix }),
  );
  const ends = done.map(({ outcome }) => outcome.end);
  // An interrupted reading of the list is repeated; a killed process loses what it heard.
  const listed = ends.includes('unavailable') ? new Map() : heard.listed;
  // A bank that is asked for a charge first shows what an earlier try left. The list tells of its Pix.
  const read = subject.said.bank === null ? new Map() : heard.charges;
  const told = { ...heard, listed, charges: read };
  const lost = ends.includes('killed') ? [] : unheard(said, txid, told);
  if (said.status === 'review' && subject.said.status !== 'review') subject.reviewSince = now;
  const isWaiting = said.open.some(({ endToEndId }) => endToEndId === next.standsOn);
  Object.assign(subject, { model: { ...next, isWaiting }, said, charges, pix });
  return [...misplaced, ...untruths(said, { pix }), ...lost, ...found].map((text) => `${name}: ${text}`);
}

export function fail({ story }: History, found: readonly string[]): void {
  if (found.length === 0) return;
  throw new Error(`${found.join('\n')}\n\n${story.text()}\n`);
}
