import type { Breach } from '../observations.ts';
import { acknowledged } from '../promises/acknowledged.ts';
import { amounts } from '../promises/amounts.ts';
import { catchesUp } from '../promises/availability.ts';
import { oneBank } from '../promises/bank-facts.ts';
import { deliveries } from '../promises/deliveries.ts';
import { restoredHistory } from '../promises/history.ts';
import { nothingInward, storesApart } from '../promises/isolation.ts';
import { money } from '../promises/money.ts';
import { breachOf, type Case, type Check } from '../promises/promise.ts';
import { returns } from '../promises/returns.ts';
import { knownAgain, type Sorted, sortPayments } from './known-again.ts';
import type { LostEvent } from './lost-events.ts';

export type Judged = { sorted: Sorted; breaches: Breach[] };

/** Holds the promises against a restored system: fully for what it had, and against the banks for all that was paid. */
export function judge(run: Case, lost: readonly LostEvent[], moment: number): Judged {
  const { observations, evidence } = run;
  const sorted = sortPayments(evidence, observations.payments, moment);
  const { kept, foundAgain } = sorted;
  const seen = knownAgain(observations, kept, moment);
  const ids = new Set(kept.map(({ id }) => id));
  const lists = new Map([...evidence.lists].map(([id, list]) => [id, list.filter((one) => ids.has(one.id))]));
  const txids = new Set(kept.map(({ id }) => id.replaceAll('-', '')));
  const unmatched = evidence.unmatched.filter(({ txid }) => txids.has(txid ?? ''));
  const ofKept = { ...run, observations: seen, evidence: { ...evidence, payments: kept, lists, unmatched } };
  // Stores heard of them before the restore, as they were then.
  const ofFound = {
    ...run,
    observations: { ...seen, payments: new Map(), visits: [] },
    evidence: { ...evidence, payments: foundAgain, unmatched: [], violations: [] },
  };
  const breaches = [
    ...observations.breaches,
    ...all(ofKept, [acknowledged, deliveries, nothingInward, storesApart, catchesUp]),
    ...[ofKept, ofFound].flatMap((one) => all(one, [restoredHistory, money, amounts, returns, oneBank])),
    ...toldTwice(run),
    ...skippedInFeed(run),
    ...notFound(sorted),
    ...notListed(sorted, lost),
  ];
  return { sorted, breaches };
}

const all = (run: Case, checks: readonly Check[]) => checks.flatMap((check) => check(run));

/** Promise 3: a change that is told again is told under the id that the store knows. */
function toldTwice({ observations }: Case): Breach[] {
  const changes = Map.groupBy(observations.visits, ({ event }) =>
    [event.id, event.event, event.previousStatus, event.status].join(' '),
  );
  return [...changes.values()].flatMap((visits) => {
    const ids = new Set(visits.map(({ deliveryId }) => deliveryId));
    const [{ event }] = visits as [(typeof visits)[number]];
    const says = `${event.previousStatus ?? ''} ${event.status} was told under ${ids.size} ids`;
    return ids.size > 1 ? [breachOf(3, event.id, says)] : [];
  });
}

/** Promise 13: who followed a feed before the loss, and goes on with that cursor, misses nothing that the database has. */
function skippedInFeed({ observations, evidence }: Case): Breach[] {
  return observations.stores.flatMap(({ id, name, followed }) => {
    const seen = new Set(followed.items.map((item) => item.id));
    const skipped = (evidence.feeds.get(id) ?? []).filter((item) => !seen.has(item.id));
    return skipped.map((item) =>
      breachOf(13, item.paymentId, `a reader of ${name} missed ${item.type} ${item.id}`),
    );
  });
}

/** Promise 1: what was paid is found again, or its money is held. */
function notFound({ paidAndLost }: Sorted): Breach[] {
  return paidAndLost
    .filter(({ isHeld }) => !isHeld)
    .map(({ payment }) => breachOf(1, payment.id, 'it was paid, and neither found again nor held'));
}

/** Promise 1: what is lost is listed for people. */
function notListed({ paidAndLost, unpaidAndLost }: Sorted, lost: readonly LostEvent[]): Breach[] {
  const listed = new Set(lost.map(({ paymentId }) => paymentId));
  return [...unpaidAndLost, ...paidAndLost.map(({ payment }) => payment)]
    .filter(({ id }) => !listed.has(id))
    .map(({ id }) => breachOf(1, id, 'it is lost, and lost-events does not list it'));
}
