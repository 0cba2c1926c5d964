import type { Breach } from '../observations.ts';
import { promises } from '../promises/all.ts';
import type { Case } from '../promises/promise.ts';
import { centavos, type PaymentEvidence, sum } from '../verdict/evidence.ts';
import { storyOfSmallest } from '../verdict/story.ts';
import { type Judged, judge } from './judge.ts';
import { ordersUndone } from './known-again.ts';
import type { LostEvent } from './lost-events.ts';

export type DrillReport = {
  figures: Record<string, number>;
  promises: { promise: string; breaches: number }[];
  breaches: Breach[];
  /** The whole history of the payment that shows a breach best. */
  story: string[];
};

export type Drilled = Case & {
  lost: readonly LostEvent[];
  /** Epoch milliseconds: what was restored, when the database was lost, when the services ran again. */
  times: { moment: number; lostAt: number; startedAt: number };
  /** Milliseconds: codes paid after the restore, with and without `RECOVER_PAYMENTS`; reviews and pending payments. */
  waits: { recovered: number; together: number; held: number };
  logs: readonly string[];
};

// Promises that a restore can keep, by their numbers: it is no restart, and slows everybody.
const judged = [1, 2, 3, 4, 6, 7, 10, 11, 12, 13];

export function reportOf(drilled: Drilled): DrillReport {
  const { lost, times, logs, observations, evidence, windows } = drilled;
  const result = judge(drilled, lost, times.moment);
  const breaches = result.breaches.toSorted((a, b) => a.promise - b.promise);
  return {
    figures: figuresOf(drilled, result),
    promises: judged.map((number) => ({
      promise: `${number}. ${promises[number - 1]}`,
      breaches: breaches.filter(({ promise }) => promise === number).length,
    })),
    breaches,
    story: storyOfSmallest(breaches, { observations, evidence, windows, logs }),
  };
}

const inSeconds = (ms: number) => Math.round(ms / 1_000);

/** True for a review that a refund ended, or a payment that ended for this reason while it was pending. */
function endedBy({ detail: { events } }: PaymentEvidence, reason: string): boolean {
  return events.some(
    (event) =>
      event.reason === reason && event.previousStatus === (reason === 'refunded' ? 'review' : 'pending'),
  );
}

function figuresOf(
  { evidence, lost, times, waits, observations }: Drilled,
  { sorted }: Judged,
): Record<string, number> {
  const { kept, foundAgain, paidAndLost, unpaidAndLost } = sorted;
  const held = evidence.unmatched.map(({ amount }) => centavos(amount));
  const isLate = ({ at }: { at: number }) => at > times.moment;
  const repeated = observations.visits.filter(({ at }) => at > times.startedAt);
  const known = new Set(
    observations.visits.filter(({ at }) => at <= times.startedAt).map(({ deliveryId }) => deliveryId),
  );
  return {
    'seconds lost': Math.round((times.lostAt - times.moment) / 1_000),
    'payments before the moment': kept.length,
    'of these, paid after it': kept.filter(({ bank }) =>
      bank?.pix.some(({ horario }) => Date.parse(horario) > times.moment),
    ).length,
    'payments after the moment': foundAgain.length + paidAndLost.length + unpaidAndLost.length,
    'of these, paid and found again at the bank': foundAgain.length,
    'of these, paid, and held as unmatched or gone back': paidAndLost.filter(({ isHeld }) => isHeld).length,
    'of these, never paid, and lost': unpaidAndLost.length,
    'centavos held as unmatched': sum(held),
    'reviews that our refund at the bank ended': kept.filter((payment) => endedBy(payment, 'refunded'))
      .length,
    'cancelled payments whose charge was removed at the bank': kept.filter((payment) =>
      endedBy(payment, 'removed_at_bank'),
    ).length,
    'seconds from the start until both were found': inSeconds(waits.together),
    'seconds until codes paid after the restore were recovered': inSeconds(waits.recovered),
    'seconds until such codes were held, without RECOVER_PAYMENTS': inSeconds(waits.held),
    'decisions of people undone': [...observations.payments.values()].flatMap(({ moves }) =>
      moves.filter(isLate),
    ).length,
    'orders of refunds undone, which moved no money': kept.flatMap((payment) => {
      const seen = observations.payments.get(payment.id);
      return seen ? ordersUndone(seen, payment, times.moment) : [];
    }).length,
    'events that only the stream has': lost.length,
    'webhooks after the restore': repeated.length,
    'of these, told before under the same id': repeated.filter(({ deliveryId }) => known.has(deliveryId))
      .length,
  };
}
