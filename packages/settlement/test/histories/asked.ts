import type { PaymentStatus } from '@payments/domain/status';
import { bankIds, type Entry, isAlive, returned } from './bank.ts';
import type { Heard } from './front.ts';
import type { History, Subject } from './history.ts';
import type { Charged } from './knowledge.ts';
import type { Lost } from './lost.ts';
import { type Act, endNamed, hear, isAllowed, learn, type Model, perform, see } from './model.ts';
import { type Operation, type Outcome, reviewTimeoutMs } from './operations.ts';
import type { Work } from './plans.ts';
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

/** @returns a step's call; undefined if there is nothing to do */
export function operationOf(
  work: Work,
  { subjects, lost }: Pick<History, 'subjects' | 'lost'>,
): Operation | undefined {
  if (work.kind === 'scan') {
    const { scan, bank, ahead = 0 } = work;
    return { do: 'scan', scan, bank: bankIds[bank]!, ahead };
  }
  if (work.kind === 'look') return { do: 'look', bank: bankIds[work.bank]! };
  if (work.kind === 'refundLost') return refundLost(lost, work);
  if (work.kind === 'tell') return tellOf(work.of < 2 ? subjects[work.of] : lost, work);
  const subject = subjects[work.of];
  // Nobody decides on a payment that is lost.
  if (!subject) return undefined;
  const { id: paymentId } = subject;
  if (work.kind === 'decide')
    return { do: 'decide', paymentId, to: work.to === 'next' ? nextOf(subject) : work.to };
  if (work.kind === 'refund')
    return { do: 'refund', paymentId, amount: partOf(work.share, subject), key: work.key };
  const refused = subject.said.open[0]?.refundId ?? anyReturn(subject);
  return refused === undefined ? undefined : { do: 'anew', paymentId, refundId: refused };
}

function refundLost(lost: Lost | undefined, { pix }: { pix: number }): Operation | undefined {
  const endToEndId = lost?.pix[pix]?.id;
  return endToEndId === undefined ? undefined : { do: 'refundUnmatched', endToEndId };
}

/** A callback names what the bank had at some time, in any order, maybe twice, and maybe as nobody can read it. */
function tellOf(told: Charged | undefined, work: Work & { kind: 'tell' }): Operation | undefined {
  if (!told) return undefined;
  const { txid, versions } = told;
  const bank = bankIds[work.bank]!;
  const entries = (versions[bank] ?? []).at(-1 - work.old) ?? [];
  if (entries.length === 0) return undefined;
  const ordered = work.turned ? entries.map(turned).toReversed() : entries;
  const pix = ordered.map((one) => oddly(one, work.odd));
  return { do: 'tell', bank, txid, body: { pix: work.twice ? [...pix, ...pix] : pix } };
}

function turned({ devolucoes, ...pix }: Entry): Entry {
  return devolucoes ? { ...pix, devolucoes: (devolucoes as Entry[]).toReversed() } : pix;
}

function oddly(pix: Entry, odd: 'amounts' | 'ids' | null): Entry {
  if (odd === 'amounts') return { ...pix, valor: String(pix.valor).replace('.', ',') };
  const { devolucoes } = pix as { devolucoes?: Entry[] };
  return odd === null || !devolucoes
    ? pix
    : { ...pix, devolucoes: devolucoes.map(({ id, ...rest }) => rest) };
}

const next: Partial<Record<PaymentStatus, PaymentStatus>> = {
  review: 'approved',
  approved: 'paid',
  paid: 'withdrawal_processing',
  withdrawal_processing: 'rejected',
  rejected: 'withdrawal_processing',
};

function nextOf({ model }: Subject): PaymentStatus {
  return next[model.status] ?? 'approved';
}

function anyReturn({ said }: Subject): string | undefined {
  return said.pix.flatMap(({ returns }) => returns)[0]?.id;
}

/** @returns a share of the charged amount; undefined for all that is left */
function partOf(share: number, { model }: Subject): number | undefined {
  return share === 100 ? undefined : Math.max(1, Math.floor((model.charged * share) / 100));
}

/** @returns the part of a Pix that the bank takes back, within what it still has */
export function medOf(of: Charged | undefined, { pix: at, share }: { pix: number; share: number }) {
  const pix = of?.pix[at];
  if (!pix) return undefined;
  const left = pix.amount - returned(pix, isAlive);
  const amount = Math.min(left, Math.max(1, Math.floor((pix.amount * share) / 100)));
  return amount > 0 ? { bank: pix.bank, endToEndId: pix.id, amount } : undefined;
}

// The time between reading our clock and the service's.
const fuzzMs = 2_000;

/** @returns what a call asked for one payment, and its result */
export function askedOf(
  operation: Operation,
  { end, says }: Outcome,
  subject: Subject,
  { now, heard, mayLie }: { now: number; heard: Heard; mayLie: boolean },
): Asked[] {
  if (operation.do === 'scan')
    return operation.scan === 'timeOut' ? timeOut(subject, end, now) : expiry(operation.scan, subject, now);
  if (operation.do !== 'decide' && operation.do !== 'refund') return [];
  if (operation.paymentId !== subject.id) return [];
  const act: Act =
    operation.do === 'decide' ? { act: 'decide', to: operation.to } : { ...operation, act: 'refund' };
  // A wrong response of the bank, and one that lacks what it told, excuse a refusal.
  const isInDoubt = doubts.some((text) => says.includes(text));
  const isExcused = isInDoubt && (heard.failures > 0 || mayLie || subject.said.isSetAside);
  const ends = {
    done: 'done',
    refused: isExcused ? 'undone' : 'refused',
    unavailable: 'undone',
    killed: 'unknown',
  } as const;
  return [{ act, end: ends[end] }];
}

const doubts = ['inDoubt', 'chargeUnknown'];

function timeOut({ model, reviewSince }: Subject, end: Outcome['end'], now: number): Asked[] {
  const over = now - reviewSince - reviewTimeoutMs;
  if (model.status !== 'review' || model.isTimedOut || over < -fuzzMs) return [];
  return [{ act: { act: 'timeOut' }, end: end === 'done' && over > fuzzMs ? 'done' : 'unknown' }];
}

const expiring: readonly string[] = ['expire', 'expireUnregistered'];

/** A failed check is rescheduled, so only the bank knows when it runs. */
function expiry(scan: string, { model, closesAt }: Subject, now: number): Asked[] {
  if (!expiring.includes(scan) || model.status !== 'pending' || now < closesAt - fuzzMs) return [];
  return [{ act: { act: 'expire' }, end: 'unknown' }];
}
