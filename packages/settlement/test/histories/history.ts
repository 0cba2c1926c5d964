import { askedOf } from './asked.ts';
import { booksDiffer } from './books.ts';
import { differences, dropped, paidOutOf, unheard, untruths } from './check.ts';
import { checkedTooEarly } from './check-days.ts';
import { expect } from './expect.ts';
import { type Charge, type Entry, isOurs, type Pix } from './facts.ts';
import type { Heard } from './front.ts';
import type { Model } from './model.ts';
import { placeDiffers } from './place.ts';
import { readService, type Said } from './service.ts';
import type { Step } from './steps.ts';
import type { Story } from './story.ts';
import { change, type Done, isWork, work } from './take.ts';
import type { Tally } from './tally.ts';
import { type Told, toldFrom } from './told.ts';
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
  /** What each bank has had of it, the newest last: callbacks may come late. */
  versions: Record<string, (readonly Entry[])[]>;
  /** All that the service was told of it. */
  told: Told[];
  /** How many steps in a row the bank's answers lacked a return that it has. */
  doubts: Record<string, number>;
};

/** @returns what the test knows of a payment that was just created */
export function newKnowledge(): Pick<Subject, 'pix' | 'reviewSince' | 'versions' | 'told' | 'doubts'> {
  return { pix: [], reviewSince: 0, versions: {}, told: [], doubts: {} };
}

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
  await endLongLies(history);
}

// Fewer than the service believes: a bank does not hide for minutes what it was asked for.
const looksAtOwn = 2;

/** A bank shows a refund of ours before the service has looked for it too often: else it would rightly order another. */
async function endLongLies({ world, subjects, story }: History): Promise<void> {
  const isLong = subjects.some(({ pix, doubts }) =>
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
  const lost = listen(subject, done, heard);
  const paidOut = atOnce || mayLie || !isPaidOut(subject, done) ? [] : paidOutOf(said, { pix });
  if (said.status === 'review' && model.status !== 'review') subject.reviewSince = now;
  const isWaiting = said.open.some(({ endToEndId }) => endToEndId === next.standsOn);
  Object.assign(subject, { model: { ...next, isWaiting } });
  keepVersions(subject);
  return [...misplaced, ...untruths(said, subject), ...lost, ...paidOut, ...found].map(
    (text) => `${name}: ${text}`,
  );
}

async function daysDiffer({ context: { db, now } }: World, done: readonly Done[]): Promise<string[]> {
  const checked = done.flatMap(({ operation, outcome }) =>
    operation.do === 'scan' && operation.scan === 'checkDays' && outcome.end === 'done' ? operation.bank : [],
  );
  return (await Promise.all(checked.map((bank) => checkedTooEarly(db, bank, now())))).flat();
}

/**
 * Takes down what the service was told in a step.
 * @returns in words, what it dropped of all that it was ever told
 */
function listen(subject: Subject, done: readonly Done[], heard: Heard): string[] {
  const { said, txid } = subject;
  doubt(subject, done, heard);
  const ends = done.map(({ outcome }) => outcome.end);
  // A killed process loses what it heard, and an interrupted scan, callback or decision is repeated.
  const isLost = ends.includes('killed') || ends.includes('unavailable');
  if (!isLost) {
    subject.told.push(...(heard.told.get(txid) ?? []));
    subject.told.push(...toldBy(done, txid));
  }
  const found = dropped(said, subject.told, subject);
  // What is on record stays so, and the newest words are the ones that may be missing.
  if (!said.isSetAside) subject.told = [];
  if (ends.includes('killed')) return found;
  // A bank that is asked for a charge first shows what an earlier try left. The list tells of its Pix.
  const read = isLost || said.bank === null ? new Map() : heard.charges;
  const isPart = heard.failures > 0 && said.isSetAside;
  return [...found, ...(isPart ? [] : unheard(said, txid, { ...heard, charges: read }, subject))];
}

/** Counts the steps in which the bank's answers lacked what it has. */
function doubt(subject: Subject, done: readonly Done[], heard: Heard): void {
  const { txid, pix } = subject;
  const told = [...(heard.told.get(txid) ?? []), ...toldBy(done, txid)];
  for (const { id: endToEndId, returns } of pix)
    for (const { id } of returns) {
      const looks = heard.looks.filter(
        (one) => (one.txid === txid || one.endToEndId === endToEndId) && (one.id ?? id) === id,
      );
      const isShown = [
        ...looks.map(({ shown }) => shown),
        ...told.map((one) => one.returns.map((each) => each.id)),
      ];
      if (isShown.some((ids) => ids.includes(id))) subject.doubts[id] = 0;
      else if (looks.length > 0) subject.doubts[id] = (subject.doubts[id] ?? 0) + 1;
    }
}

/** What callbacks told. */
function toldBy(done: readonly Done[], txid: string): Told[] {
  return done.flatMap(({ operation }) =>
    operation.do === 'tell' && operation.txid === txid ? operation.body.pix.map(toldFrom) : [],
  );
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

function keepVersions({ charges, versions }: Subject): void {
  for (const { bank, entries } of charges) {
    const kept = versions[bank] ?? [];
    if (JSON.stringify(kept.at(-1)) !== JSON.stringify(entries)) versions[bank] = [...kept, entries];
  }
}

export function fail({ story }: History, found: readonly string[]): void {
  if (found.length === 0) return;
  throw new Error(`${found.join('\n')}\n\n${story.text()}\n`);
}
