import type { SeenPayment } from '../observations.ts';
import { allEventsOf, type EventShown, type PaymentEvidence } from '../verdict/evidence.ts';
import { ofEachPayment } from './promise.ts';

// A second copy of the contract's table: an error in the domain's own table must not excuse itself.
const legal: Record<string, string[]> = {
  'pending approved': ['psp'],
  'pending review': ['psp'],
  'pending not_approved': ['expiry', 'refund', 'administrator', 'store'],
  // Paid in time, and seen late.
  'not_approved approved': ['psp'],
  'not_approved review': ['psp'],
  'review approved': ['administrator'],
  'review not_approved': ['administrator', 'review-timeout'],
  'approved paid': ['administrator'],
  'approved not_approved': ['refund'],
  'paid not_approved': ['refund'],
  'paid withdrawal_processing': ['administrator'],
  'withdrawal_processing receipt_sent': ['administrator'],
  'withdrawal_processing rejected': ['administrator'],
  'rejected withdrawal_processing': ['administrator'],
};

/** After a restore, a refund at the bank tells that a review was decided. */
const alsoRestored: Record<string, string[]> = { 'review not_approved': ['refund'] };

const historyWith = (also: Record<string, string[]>) =>
  ofEachPayment(2, (payment, { observations }) => [
    ...inEvents(payment, also),
    ...inMoves(payment, observations.payments.get(payment.id)),
  ]);

/** Promise 2, first half: every change of status has its event, and is an allowed transition. */
export const history = historyWith({});

/** The same of a restored database. */
export const restoredHistory = historyWith(alsoRestored);

function inEvents({ detail, read }: PaymentEvidence, also: Record<string, string[]>): string[] {
  const { events } = detail;
  const wrong: string[] = [];
  for (const [index, event] of allEventsOf(detail).entries()) {
    if (event.sequence !== index + 1) wrong.push(`event ${index + 1} has the sequence ${event.sequence}`);
    if (!event.published) wrong.push(`event ${event.sequence} was never published`);
  }
  for (const [index, move] of events.entries()) {
    const before = events[index - 1];
    wrong.push(...(before ? isWrongMove(before, move, also) : isWrongBeginning(move)));
  }
  const last = events.at(-1)?.status;
  if (last !== detail.status) wrong.push(`its status is ${detail.status}, its last event says ${last}`);
  if (read.status === 200 && read.body.status !== detail.status)
    wrong.push(`a read shows ${read.body.status}, the administrators' side ${detail.status}`);
  return wrong;
}

function isWrongBeginning({ type, status, previousStatus }: EventShown): string[] {
  if (type === 'payment.created' && status === 'pending' && previousStatus === null) return [];
  return [`its history begins with ${type} ${status}`];
}

function isWrongMove(
  before: EventShown,
  { type, status, previousStatus, actor }: EventShown,
  also: Record<string, string[]>,
): string[] {
  if (type !== 'payment.status_changed') return [`a later event is ${type}`];
  if (previousStatus !== before.status) return [`an event says that ${before.status} was ${previousStatus}`];
  const move = `${previousStatus} ${status}`;
  if ([legal, also].some((moves) => moves[move]?.includes(actor))) return [];
  return [`${actor} moved it from ${previousStatus} to ${status}`];
}

/** A move that was confirmed to an administrator is in the history. */
function inMoves({ detail }: PaymentEvidence, seen: SeenPayment | undefined): string[] {
  const told = (seen?.moves ?? []).map(({ to }) => to);
  const made = detail.events.filter(({ actor }) => actor === 'administrator').map(({ status }) => status);
  const lost = told.filter(
    (to) => told.filter((one) => one === to).length > made.filter((one) => one === to).length,
  );
  return lost.map((to) => `an administrator was told that it is ${to}; its history does not have that`);
}
