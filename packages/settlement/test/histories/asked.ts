import type { PaymentStatus } from '@payments/domain/status';
import { bankIds } from './accounts.ts';
import type { Asked } from './expect.ts';
import { isAlive, returned } from './facts.ts';
import type { Heard } from './front.ts';
import type { Subject } from './history.ts';
import type { Act } from './model.ts';
import { type Operation, type Outcome, reviewTimeoutMs } from './operations.ts';
import type { Work } from './steps.ts';

/** @returns a step's call; undefined if there is nothing to do */
export function operationOf(work: Work, subjects: readonly Subject[]): Operation | undefined {
  if (work.kind === 'scan') return { do: 'scan', scan: work.scan, bank: bankIds[work.bank]! };
  const subject = subjects[work.of]!;
  const { id: paymentId } = subject;
  if (work.kind === 'tell') return tellOf(subject, bankIds[work.bank]!);
  if (work.kind === 'decide')
    return { do: 'decide', paymentId, to: work.to === 'next' ? nextOf(subject) : work.to };
  if (work.kind === 'refund')
    return { do: 'refund', paymentId, amount: partOf(work.share, subject), key: work.key };
  const refused = subject.said.open[0]?.refundId ?? anyReturn(subject);
  return refused === undefined ? undefined : { do: 'anew', paymentId, refundId: refused };
}

function tellOf({ txid, charges }: Subject, bank: string): Operation | undefined {
  const charge = charges.find((one) => one.bank === bank);
  if (!charge || charge.code === '') return undefined;
  return { do: 'tell', bank, txid, endToEndIds: charge.pix.map(({ id }) => id) };
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
export function medOf({ pix: all }: Subject, { pix: at, share }: { pix: number; share: number }) {
  const pix = all[at];
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
  { end }: Outcome,
  subject: Subject,
  { now, heard }: { now: number; heard: Heard },
): Asked[] {
  if (operation.do === 'scan')
    return operation.scan === 'timeOut' ? timeOut(subject, end, now) : expiry(operation.scan, subject, now);
  if (operation.do === 'tell' || operation.do === 'anew' || operation.do === 'create') return [];
  if (operation.paymentId !== subject.id) return [];
  const act: Act =
    operation.do === 'decide' ? { act: 'decide', to: operation.to } : { ...operation, act: 'refund' };
  // A wrong response of the bank excuses a refused approval.
  const isExcused = operation.do === 'decide' && operation.to === 'approved' && heard.failures > 0;
  const ends = {
    done: 'done',
    refused: isExcused ? 'undone' : 'refused',
    unavailable: 'undone',
    killed: 'unknown',
  } as const;
  return [{ act, end: ends[end] }];
}

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
