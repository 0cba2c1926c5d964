import { askedOf, expect } from './asked.ts';
import { isOurs } from './bank.ts';
import {
  booksDiffer,
  differences,
  leftovers,
  notSynchronised,
  paidOutOf,
  placeDiffers,
  untruths,
} from './check.ts';
import { type Charged, keepVersions, listen } from './knowledge.ts';
import { type Lost, lostDiffers, lostInTheEnd } from './lost.ts';
import type { Model } from './model.ts';
import { checkedTooEarly, isOfAll, type Scan, scans } from './operations.ts';
import type { Step } from './plans.ts';
import { readService, type Said } from './service.ts';
import type { Story, Tally } from './story.ts';
import { change, type Done, isWork, work } from './take.ts';
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

const rounds = 14;
const roundsOfRemoval = 6;

/**
 * Ends a history: the bank works, time passes, and all scans run until nothing changes. A person orders owed refunds
 * again.
 * @throws Error with the story, if the service differs from the bank
 */
export async function endHistory(history: History): Promise<void> {
  const { subjects } = history;
  await recover(history);
  await withoutLeftovers(history);
  await untilQuiet(history);
  const waiting = subjects.flatMap(({ name, said }) =>
    said.open
      .filter(({ at }) => at !== null)
      .map(({ endToEndId }) => `${name}: of ${endToEndId} nothing is ordered anew`),
  );
  fail(history, waiting);
  const isOwed = subjects.some(({ said }) => said.open.length > 0);
  for (const [of, { said }] of subjects.entries()) {
    for (const _ of said.open) await takeStep(history, { kind: 'anew', of });
  }
  if (isOwed) await untilQuiet(history);
  if (history.lost) fail(history, await lostInTheEnd(history.world, history.lost));
  const found = subjects.flatMap(({ name, said, charges, pix, model }) => {
    const isActive = model.isCancelled && charges.some(({ status }) => status === 'ATIVA');
    const more = isActive ? ['the charge was cancelled, and can still be paid'] : [];
    const open = said.open.map(({ endToEndId }) => `of ${endToEndId} something is open still`);
    return [...notSynchronised(said, { pix }), ...more, ...open].map((text) => `${name}: ${text}`);
  });
  fail(history, found);
}

async function recover(history: History): Promise<void> {
  const places = [...history.world.banks.keys()];
  await takeStep(history, { kind: 'banks', configured: places });
  for (const bank of places) await takeStep(history, { kind: 'faults', bank, faults: {} });
}

/** Within minutes nothing can be paid at a bank that is not the payment's. */
async function withoutLeftovers(history: History): Promise<void> {
  if (history.world.banks.length === 1) return;
  for (let round = 0; round < roundsOfRemoval; round += 1) {
    await takeStep(history, { kind: 'pass', seconds: 61 }, { isQuiet: true });
    await scanAll(history, ['follow', 'unheard']);
  }
  await compareAll(history, []);
  const now = history.world.context.now().getTime();
  fail(
    history,
    history.subjects.flatMap((subject) => leftovers(subject, now)),
  );
}

async function scanAll(history: History, names: readonly Scan[]): Promise<void> {
  for (const scan of names)
    for (const bank of history.world.banks.keys())
      if (bank === 0 || !isOfAll(scan))
        await takeStep(history, { kind: 'scan', scan, bank }, { isQuiet: true });
}

async function untilQuiet(history: History): Promise<void> {
  const { subjects } = history;
  const state = () => JSON.stringify(subjects.map(({ said, charges }) => [said, charges]));
  let isSure = false;
  for (let round = 0; round < rounds; round += 1) {
    const before = state();
    await takeStep(history, { kind: 'pass', seconds: isSure ? 7 * 3_600 : 3_750 }, { isQuiet: true });
    await scanAll(history, scans);
    await compareAll(history, []);
    const isStill = before === state();
    if (isStill && isSure) return;
    isSure = isStill;
  }
}
