import type { FeedItem, PaymentBody, SeenStore } from '../observations.ts';
import { allEventsOf, centavos, type PaymentEvidence } from '../verdict/evidence.ts';
import { breachOf, type Case, type Check } from './promise.ts';

/**
 * Promise 13: every change of what a store's reads show is told by an event, and the feed skips and repeats none. A
 * reader who followed it through all faults has what one reads at the end, and that is what the database holds.
 */
export const toldChanges: Check = (run) => [
  ...run.observations.stores.flatMap((store) => inFeed(run, store)),
  ...run.evidence.payments.flatMap((payment) =>
    inEvents(payment, itemsOf(run, payment)).map((says) => breachOf(13, payment.id, says)),
  ),
];

const itemsOf = ({ evidence }: Case, { id, detail }: PaymentEvidence) =>
  (evidence.feeds.get(detail.storeId) ?? []).filter(({ paymentId }) => paymentId === id);

function inFeed({ evidence }: Case, store: SeenStore) {
  const { followed, name } = store;
  const all = evidence.feeds.get(store.id) ?? [];
  const wrong: string[] = [];
  const seen = followed.items.map(({ id }) => id);
  if (new Set(seen).size < seen.length) wrong.push('told something twice');
  const skipped = all.filter(({ id }) => !seen.includes(id));
  if (skipped.length > 0) wrong.push(`skipped ${skipped.length}, as ${skipped[0]?.type} ${skipped[0]?.id}`);
  if (wrong.length === 0 && seen.join() !== all.map(({ id }) => id).join())
    wrong.push('has another order, or more, than at the end');
  return wrong.map((says) => breachOf(13, undefined, `the feed of ${name} ${says}`));
}

/** The feed has the payment's events in their order, and the last ones say what is read. */
function inEvents({ detail, read }: PaymentEvidence, items: readonly FeedItem[]): string[] {
  const [told, written] = [items, allEventsOf(detail)].map((all) => all.map(({ id }) => id).join(', '));
  if (told !== written) return [`its feed has the events ${told}, the database ${written}`];
  const last = items.findLast(({ body }) => body.refund === undefined);
  const wrong = last && read.status === 200 ? differences(last.body, read.body) : [];
  for (const { id, endToEndId, state, amount } of detail.refunds) {
    const { refund } =
      items.findLast(({ body }) => body.refund?.id === id && body.refund.endToEndId === endToEndId)?.body ??
      {};
    if (refund?.status !== state || centavos(refund.amount) !== centavos(amount))
      wrong.push(
        `refund ${id} is ${state} of ${amount}, its last event says ${refund?.status} ${refund?.amount}`,
      );
  }
  return wrong;
}

const shown = [
  'id',
  'status',
  'amount',
  'feeAmount',
  'liquidValue',
  'qrCopyPaste',
  'observation',
  'email',
] as const;

function differences(told: Partial<PaymentBody>, read: PaymentBody): string[] {
  return shown
    .filter((field) => told[field] !== read[field])
    .map((field) => `a read shows ${field} ${read[field]}, its last event told ${told[field]}`);
}
