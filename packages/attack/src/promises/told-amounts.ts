import type { Window } from '../faults/fault.ts';
import type { SeenStore, Visit } from '../observations.ts';
import { type BankPix, centavos, type EventShown, type PaymentEvidence } from '../verdict/evidence.ts';
import { confirmsMoney, countedPix, type Return, returnsOf } from './bank-facts.ts';
import { chargedOf, isMoney, moneyOf, say } from './charged.ts';
import { calmMs } from './isolation.ts';
import type { Case } from './promise.ts';

// The bank and the services share a clock; a return is heard of after it was made.
const clocksMs = 50;
// An approval has just read the charge. Only a fault of the service itself makes that old.
const readIsOldMs = 3_000;
// Other changes use the returns heard of so far, and a callback may be lost.
const hearsWithinMs = 60_000;

/** Every webhook has the amount that the bank had when its event was written, and its fees. */
export function told(run: Case, payment: PaymentEvidence, store: SeenStore): string[] {
  const bodies = new Map<string, Visit['event']>();
  for (const { deliveryId, event } of run.observations.visits) bodies.set(deliveryId, event);
  return payment.detail.events.flatMap((event) => {
    const body = bodies.get(event.id);
    return [...isEarly(payment, event), ...(body ? isFalse(run, payment, store, { event, body }) : [])];
  });
}

type Told = { event: EventShown; body: Visit['event'] };

function isFalse(run: Case, payment: PaymentEvidence, store: SeenStore, { event, body }: Told): string[] {
  const pix = countedPix(payment);
  const possible =
    confirmsMoney(event.status) && pix
      ? amountsAt(pix, event, run.windows)
      : [chargedOf(run.observations, payment)];
  const expected = possible.map((amount) => moneyOf(amount, store));
  if (expected.some((one) => isMoney(body, one))) return [];
  const had = expected.map(say).join(' or ');
  return [`event ${event.sequence} (${event.status}) tells ${say(body)}, where the bank had ${had}`];
}

/** A payment leaves its approval only when everything has gone back. */
function isEarly(payment: PaymentEvidence, { sequence, actor, occurredAt }: EventShown): string[] {
  const pix = countedPix(payment);
  if (actor !== 'refund' || !pix) return [];
  const made = returnsOf(pix).filter(({ at }) => at <= Date.parse(occurredAt) + clocksMs);
  const left = made.reduce((rest, { amount }) => rest - amount, centavos(pix.valor));
  return left === 0
    ? []
    : [`event ${sequence} says that nothing is left, where the bank had ${left} centavos`];
}

/** @returns the amounts that an event may show of a Pix, by what was known of its returns then, in centavos */
function amountsAt(pix: BankPix, { status, occurredAt }: EventShown, windows: readonly Window[]): number[] {
  const at = Date.parse(occurredAt);
  const own = windows.filter(({ kind }) => kind !== 'simulator');
  const isKnown = (made: Return) =>
    status === 'approved' ? calmMs(made.at, at, own) > readIsOldMs : at - made.at > hearsWithinMs;
  let possible = [centavos(pix.valor)];
  for (const made of returnsOf(pix)) {
    if (made.at > at + clocksMs) continue;
    const without = possible.map((amount) => amount - made.amount);
    possible = isKnown(made) ? without : [...possible, ...without];
  }
  return [...new Set(possible)];
}
