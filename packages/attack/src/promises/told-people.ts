import type { Window } from '../faults/fault.ts';
import { people } from '../load/stores.ts';
import type { SeenMail } from '../mail/mail.ts';
import type { Breach } from '../observations.ts';
import { isTestBank } from '../system/banks.ts';
import { pace } from '../system/system.ts';
import type { Evidence, PaymentEvidence } from '../verdict/evidence.ts';
import { calmMs } from './isolation.ts';
import { breachOf, type Check } from './promise.ts';

/** Promise 14: people are told what waits for them, at least once, and a repeated mail says the same. Nobody is told of tests. */
export const toldPeople: Check = ({ observations: { mails }, evidence, windows }) => [
  ...untold(mails, toTell(evidence, windows)),
  ...repeatedOtherwise(mails),
  ...toldOfTests(mails, evidence),
];

/** @returns what people had to be told. Of a test store's payments nobody is told anything */
export const toTell = (evidence: Evidence, windows: readonly Window[]): Fact[] => [
  ...standing(evidence),
  ...waited(evidence, windows),
];

/** @returns whom nobody has told of what stands at the end: it is told sooner or later */
export const untoldAtEnd = (mails: readonly SeenMail[], evidence: Evidence): Breach[] =>
  untold(mails, standing(evidence));

type Kind = 'review_waiting' | 'refund_owed' | 'returned_by_bank';

/** A fact that somebody must be told. `name` is how a mail names it, `id` how a post does. */
type Fact = { kind: Kind; name: string; id: string; from: number; paymentId?: string };

const olga = people.find(({ role }) => role === 'owner')!.email;
const otto = people.find(({ role }) => role === 'operator')!.email;
const toldTo: Record<Kind, readonly string[]> = {
  review_waiting: ['webhook', olga, otto],
  refund_owed: ['webhook', olga, otto],
  returned_by_bank: ['webhook', olga],
};
const subjects: Record<Kind, RegExp> = {
  review_waiting: /^review_waiting$|em análise/,
  refund_owed: /^refund_owed$|^O banco recusou/,
  returned_by_bank: /^returned_by_bank$|^O banco iniciou|iniciadas? no banco$/,
};

const isReal = ({ knownAt }: PaymentEvidence) => !knownAt.some(isTestBank);

/** @returns the refunds owed, and the returns of the banks', that stood at the end */
function standing({ refundsNotMade, payments }: Evidence): Fact[] {
  const owed = refundsNotMade.filter(({ owedAmount, isTest }) => owedAmount !== null && !isTest);
  const returned = payments
    .filter(isReal)
    .flatMap(({ detail }) =>
      detail.refunds.filter(({ origin, state }) => origin === 'bank' && state !== 'failed'),
    );
  const factOf = (kind: Kind) => (refund: { id: string; endToEndId: string }) => {
    return { kind, name: `Pix ${refund.endToEndId}`, id: refund.id, from: 0 };
  };
  return [...owed.map(factOf('refund_owed')), ...returned.map(factOf('returned_by_bank'))];
}

// Notices are shared and sent by turns of a second each, and collected for a second.
const soonMs = 6_000;
// A try that a fault has ended is repeated after its lease, or after a pause: a minute each. A busy machine ends none.
const recoveryMs = (kind: Window['kind']) => (kind === 'machine' ? 0 : 75_000);
const hindering: readonly Window['kind'][] = ['mail', 'dispatcher', 'postgres', 'machine'];

/** @returns the reviews that waited in calm for long enough. What is settled before is told to nobody */
function waited({ payments }: Evidence, windows: readonly Window[]): Fact[] {
  const hindrances = windows
    .filter(({ kind }) => hindering.includes(kind))
    .map((window) => ({ ...window, to: window.to + recoveryMs(window.kind) }));
  return payments.filter(isReal).flatMap((payment) =>
    reviewsOf(payment).flatMap(({ from, to }): Fact[] => {
      if (calmMs(from, to, hindrances) < soonMs) return [];
      const { id } = payment;
      return [{ kind: 'review_waiting', name: `/payments/${id}`, id, from, paymentId: id }];
    }),
  );
}

/** @returns when each review began and ended, by a decision or for want of one */
function reviewsOf({ detail: { events } }: PaymentEvidence): { from: number; to: number }[] {
  return events.flatMap(({ status, occurredAt }, index) => {
    if (status !== 'review') return [];
    const from = Date.parse(occurredAt);
    const next = Date.parse(events[index + 1]?.occurredAt ?? '') || Number.POSITIVE_INFINITY;
    return [{ from, to: Math.min(next, from + Number(pace.REVIEW_TIMEOUT_SECONDS) * 1_000) }];
  });
}

function untold(mails: readonly SeenMail[], facts: readonly Fact[]): Breach[] {
  return facts.flatMap((fact) => {
    const silent = toldTo[fact.kind].filter(
      (to) => !mails.some((mail) => mail.to === to && tells(mail, fact)),
    );
    const says = `${silent.join(', ')} heard nothing of ${fact.kind} ${fact.id}`;
    return silent.length > 0 ? [breachOf(14, fact.paymentId, says)] : [];
  });
}

/** True if it names the fact, or tells of more of its kind than it names. */
function tells({ to, subject, text, at }: SeenMail, { kind, name, id, from }: Fact): boolean {
  if (!subjects[kind].test(subject) || at < from) return false;
  if (to === 'webhook') {
    const { count = 1, notices = [] } = JSON.parse(text) as { count?: number; notices?: unknown[] };
    return text.includes(`"${id}"`) || count > Math.max(1, notices.length);
  }
  const namesNone = kind === 'review_waiting' && /^\d/.test(subject);
  return text.includes(name) || namesNone || /… e mais \d/.test(text);
}

/** @returns the mails and posts that name a test store's payment, or a Pix of one */
function toldOfTests(mails: readonly SeenMail[], { payments }: Evidence): Breach[] {
  const tests = payments.filter((payment) => !isReal(payment));
  return tests.flatMap(({ id, detail }) => {
    const names = [id, ...detail.pix.map(({ endToEndId }) => endToEndId)];
    const told = mails.filter(({ text }) => names.some((name) => text.includes(name)));
    return told.map(({ to, subject }) => breachOf(14, id, `${to} heard of a test: ${subject}`));
  });
}

function repeatedOtherwise(mails: readonly SeenMail[]): Breach[] {
  return [...Map.groupBy(mails, ({ id, to }) => `${id} to ${to}`)].flatMap(([id, same]) => {
    const texts = new Set(same.map(({ subject, text }) => `${subject}\n${text}`));
    return texts.size > 1 ? [breachOf(14, undefined, `${id} came with ${texts.size} texts`)] : [];
  });
}
