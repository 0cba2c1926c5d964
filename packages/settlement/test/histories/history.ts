import { askedOf } from './asked.ts';
import { booksDiffer } from './books.ts';
import { differences, paidOutOf, untruths } from './check.ts';
import { checkedTooEarly } from './check-days.ts';
import { expect } from './expect.ts';
import { isOurs } from './facts.ts';
import { type Charged, keepVersions, listen } from './knowledge.ts';
import { type Lost, lostDiffers } from './lost.ts';
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
  /** When the service closes it unpaid. */
  closesAt: number;
  model: Model;
  /** The banks that may take its charge. */
  banks: readonly string[] | null;
  said: Said;
  /** When it came into review. */
  reviewSince: number;
} & Charged;

/** `lost` is a payment that the service does not know; undefined if there is none. */
export type History = {
  world: World;
  subjects: Subject[];
  lost: Lost | undefined;
  story: Story;
  tally: Tally;
};

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
  await endLongLies(history);
}

// Fewer than the service believes: a bank does not hide for minutes what it was asked for.
const looksAtOwn = 2;

/** A bank shows a refund of ours before the service has looked for it too often: else it would rightly order another. */
async function endLongLies({ world, subjects, lost, story }: History): Promise<void> {
  const isLong = [...subjects, ...(lost ? [lost] : [])].some(({ pix, doubts }) =>
    pix.some(({ returns }) => returns.some((one) => isOurs(one) && (doubts[one.id] ?? 0) >= looksAtOwn)),
  );
  if (!isLong) return;
  for (const bank of world.banks.filter((one) => one.lies())) {
    await bank.faults({});
    story.note(`${bank.id} shows all it has again`);
  }
}

export async function compareAll(history: History, done: readonly Done[]): Promise<void> {
  const found = await Promise.all(history.subjects.map((subject) => compare(history, subject, done)));
  found.push(await booksDiffer(history.world.context.db, history.subjects));
  found.push(await daysDiffer(history.world, done));
  if (history.lost) found.push(await lostDiffers(history.world, history.lost, done));
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
  const mayLie = world.banks.some((bank) => bank.lies());
  const asked = done.flatMap(({ operation, outcome }) =>
    askedOf(operation, outcome, { ...subject, said }, { now, heard, mayLie }),
  );
  const atOnce = done.length > 1;
  const { model: next, found } = expect(model, said, { asked, atOnce, inParts: mayLie }, (one) =>
    differences(one, said, { pix }),
  );
  Object.assign(subject, { said, charges, pix });
  // A bank that is asked for a charge first shows what an earlier try left. The list tells of its Pix.
  const lost = listen(
    subject,
    { known: said.pix, isSetAside: said.isSetAside, isOurs: true },
    { done, heard: said.bank === null ? { ...heard, charges: new Map() } : heard },
  );
  const paidOut = atOnce || mayLie || !isPaidOut(subject, done) ? [] : paidOutOf(said, { pix });
  if (said.status === 'review' && model.status !== 'review') subject.reviewSince = now + aheadOf(done);
  const isWaiting = said.open.some(({ endToEndId }) => endToEndId === next.standsOn);
  Object.assign(subject, { model: { ...next, isWaiting } });
  keepVersions(subject);
  return [...misplaced, ...said.untold, ...untruths(said, subject), ...lost, ...paidOut, ...found].map(
    (text) => `${name}: ${text}`,
  );
}

async function daysDiffer({ context: { db, now } }: World, done: readonly Done[]): Promise<string[]> {
  const checked = done.flatMap(({ operation, outcome }) =>
    operation.do === 'scan' && operation.scan === 'checkDays' && outcome.end === 'done' ? operation.bank : [],
  );
  return (await Promise.all(checked.map((bank) => checkedTooEarly(db, bank, now())))).flat();
}

/** The time of a review is that of the process that saw it, in milliseconds ahead of the others. */
function aheadOf(done: readonly Done[]): number {
  const ahead = done.map(({ operation }) => (operation.do === 'scan' ? (operation.ahead ?? 0) : 0));
  return Math.max(0, ...ahead) * 1_000;
}

function isPaidOut({ id }: Subject, done: readonly Done[]): boolean {
  return done.some(
    ({ operation, outcome }) =>
      operation.do === 'decide' &&
      operation.paymentId === id &&
      outcome.end === 'done' &&
      (operation.to === 'paid' || operation.to === 'withdrawal_processing'),
  );
}

export function fail({ story }: History, found: readonly string[]): void {
  if (found.length === 0) return;
  throw new Error(`${found.join('\n')}\n\n${story.text()}\n`);
}
