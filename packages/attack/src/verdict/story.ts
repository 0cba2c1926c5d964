import type { Window } from '../faults/fault.ts';
import type { Breach, Observations } from '../observations.ts';
import type { Evidence } from './evidence.ts';

type Seen = {
  observations: Observations;
  evidence: Evidence;
  windows: readonly Window[];
  logs: readonly string[];
};

type Moment = { at: number; says: string };

/** @returns the story of the payment that breaks a promise in the fewest moments; empty without a breach */
export function storyOfSmallest(breaches: readonly Breach[], seen: Seen): string[] {
  const worst = smallest(
    breaches.filter(({ paymentId }) => paymentId),
    seen.evidence,
  );
  if (!worst?.paymentId) return [];
  return [`${worst.paymentId}: ${worst.says}`, ...storyOf(worst.paymentId, seen)];
}

/** @returns a payment's whole history from all sides, one line per moment, in order */
function storyOf(paymentId: string, { observations, evidence, windows, logs }: Seen): string[] {
  const { payments, visits } = observations;
  const found = evidence.payments.find(({ id }) => id === paymentId);
  const own = logs.filter((line) => line.startsWith('{') && line.includes(paymentId));
  const seen = payments.get(paymentId);
  const received = visits
    .filter(({ event }) => event.id === paymentId)
    .map(({ event: _, ...visit }) => visit);
  const moments = [
    ...momentsOf('client', seen && { at: seen.answeredAt, request: seen.request, plan: seen.plan }),
    ...momentsOf('client', seen && [seen.pix, seen.refunds, seen.moves]),
    ...momentsOf('receiver', received),
    ...momentsOf('service', found?.detail),
    ...momentsOf('bank', found?.bank),
    ...momentsOf(
      'log',
      own.slice(0, logsAtMost).map((line) => JSON.parse(line)),
    ),
  ];
  const [from, to] = [Math.min(...moments.map(({ at }) => at)), Math.max(...moments.map(({ at }) => at))];
  const around = windows.filter((window) => window.from < to + hearingMs && window.to > from - marginMs);
  const faults = around.flatMap(({ fault, target, from, to }) => [
    { at: from, says: `fault ${fault} (${target}) begins` },
    { at: to, says: `fault ${fault} (${target}) is over` },
  ]);
  return [...moments, ...faults]
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, says }) => `${new Date(at).toISOString().slice(11, 23)}  ${says}`);
}

const logsAtMost = 40;
const marginMs = 1_000;
// A fault of this long after the last moment may have kept away what should have followed.
const hearingMs = 30_000;
/** The fields that hold a time. */
const times = ['at', 'time', 'startedAt', 'occurredAt', 'receivedAt', 'createdAt', 'horario'];

/** @returns a moment for every object that has a time, without inner objects that have their own */
function momentsOf(side: string, value: unknown): Moment[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value).flatMap((one) => momentsOf(side, one));
  const field = times.find((name) => name in value);
  if (field === undefined) return inside;
  const time = (value as Record<string, unknown>)[field];
  const at = typeof time === 'number' ? time : Date.parse(String(time));
  if (!Number.isFinite(at)) return inside;
  const facts = Object.entries(value).filter(([, fact]) => !Array.isArray(fact));
  return [{ at, says: `${side} ${JSON.stringify(Object.fromEntries(facts))}` }, ...inside];
}

/** The breach with the shortest history is the easiest to understand. */
function smallest(breaches: readonly Breach[], evidence: Evidence): Breach | undefined {
  const size = ({ paymentId }: Breach) => {
    const detail = evidence.payments.find(({ id }) => id === paymentId)?.detail;
    return detail
      ? detail.events.length + detail.deliveries.flatMap(({ attempts }) => attempts).length
      : 1_000;
  };
  return breaches.toSorted((a, b) => size(a) - size(b))[0];
}
