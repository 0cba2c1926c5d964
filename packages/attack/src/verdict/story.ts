import type { Window } from '../faults/fault.ts';
import type { Breach, Observations } from '../observations.ts';
import type { Evidence, PaymentEvidence } from './evidence.ts';

type Line = { at: number; side: string; says: string };

/** @returns a payment's whole history from all sides, a line each, in the order of time */
export function storyOf(
  paymentId: string,
  {
    observations,
    evidence,
    windows,
    logs,
  }: { observations: Observations; evidence: Evidence; windows: readonly Window[]; logs: readonly string[] },
): string[] {
  const found = evidence.payments.find(({ id }) => id === paymentId);
  const lines = [
    ...fromClients(observations, paymentId),
    ...(found ? [...fromAdmin(found), ...fromBank(found)] : []),
    ...fromLogs(logs, paymentId),
  ];
  const [from, to] = [Math.min(...lines.map(({ at }) => at)), Math.max(...lines.map(({ at }) => at))];
  const around = windows
    .filter((window) => window.kind !== 'machine' && window.from < to + 1_000 && window.to > from - 1_000)
    .flatMap(({ fault, target, ...window }) => [
      { at: window.from, side: 'fault', says: `${fault} (${target}) begins` },
      { at: window.to, side: 'fault', says: `${fault} (${target}) is over` },
    ]);
  return [...lines, ...around]
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, side, says }) => `${new Date(at).toISOString().slice(11, 23)}  ${side.padEnd(9)} ${says}`);
}

/** @returns the breach with the shortest history: the easiest to understand */
export function smallest(breaches: readonly Breach[], evidence: Evidence): Breach | undefined {
  const size = ({ paymentId }: Breach) => {
    const detail = evidence.payments.find(({ id }) => id === paymentId)?.detail;
    return detail
      ? detail.events.length + detail.deliveries.flatMap(({ attempts }) => attempts).length
      : 1_000;
  };
  return breaches.toSorted((a, b) => size(a) - size(b))[0];
}

function fromClients({ payments, visits }: Observations, id: string): Line[] {
  const seen = payments.get(id);
  const own = visits.filter(({ event }) => event.id === id);
  return [
    ...(seen
      ? [
          {
            at: seen.answeredAt,
            side: 'client',
            says: `created, answered 200: ${JSON.stringify(seen.request)}, plan "${seen.plan}"`,
          },
        ]
      : []),
    ...(seen?.pix ?? []).map(({ at, endToEndId, amount }) => ({
      at,
      side: 'payer',
      says: `paid ${amount} centavos, ${endToEndId}`,
    })),
    ...(seen?.refunds ?? []).map(({ at, id, amount }) => ({
      at,
      side: 'admin',
      says: `was told that refund ${id} of ${amount} centavos is ordered`,
    })),
    ...(seen?.moves ?? []).map(({ at, to }) => ({ at, side: 'admin', says: `was told that it is ${to}` })),
    ...own.map(({ at, deliveryId, status, event, temper }) => ({
      at,
      side: 'receiver',
      says: `(${temper}) got ${event.event} ${event.status}, webhook-id ${deliveryId}, and answered ${status ?? 'nothing'}`,
    })),
  ];
}

function fromAdmin({ detail }: PaymentEvidence): Line[] {
  const time = (text: string) => Date.parse(text);
  return [
    ...detail.events.map(({ occurredAt, sequence, previousStatus, status, actor, reason, published }) => ({
      at: time(occurredAt),
      side: 'ledger',
      says: `event ${sequence}: ${previousStatus ?? 'nothing'} → ${status} by ${actor} (${reason ?? 'no reason'}), ${published ? 'published' : 'never published'}`,
    })),
    ...detail.pix.map(({ receivedAt, endToEndId, amount, effect }) => ({
      at: time(receivedAt),
      side: 'ledger',
      says: `Pix ${endToEndId} of ${amount}: ${effect}`,
    })),
    ...detail.refunds.map((refund) => ({
      at: time((refund as unknown as { createdAt: string }).createdAt),
      side: 'ledger',
      says: `refund ${JSON.stringify(refund)}`,
    })),
    ...detail.deliveries.flatMap(({ id, state, createdAt, attempts }) => [
      { at: time(createdAt), side: 'ledger', says: `delivery ${id} entered, in the end ${state}` },
      ...attempts.map(({ number, startedAt, statusCode, error }) => ({
        at: time(startedAt),
        side: 'ledger',
        says: `attempt ${number} of ${id}: ${statusCode ?? error ?? 'nothing recorded'}`,
      })),
    ]),
  ];
}

function fromBank({ bank }: PaymentEvidence): Line[] {
  return (bank?.pix ?? []).map((pix) => ({
    at: Date.parse(pix.horario),
    side: 'bank',
    says: JSON.stringify(pix),
  }));
}

const logsAtMost = 40;

function fromLogs(logs: readonly string[], id: string): Line[] {
  return logs
    .filter((line) => line.includes(id) && line.startsWith('{'))
    .slice(0, logsAtMost)
    .map((line) => {
      const { time, name, service, level, msg, err } = JSON.parse(line);
      return {
        at: typeof time === 'number' ? time : Date.parse(time),
        side: 'log',
        says: `${service ?? name ?? ''} ${level} ${msg} ${err?.message ?? ''}`,
      };
    });
}
