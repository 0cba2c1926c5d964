import type { PaymentBody, SeenStore } from '../observations.ts';
import type { PaymentEvidence } from '../verdict/evidence.ts';
import { confirmsMoney, countedPix, isRefundable, keptOf } from './bank-facts.ts';
import { chargedOf, inTime, isMoney, moneyOf, say } from './charged.ts';
import { type Case, ofEachPayment } from './promise.ts';
import { told } from './told-amounts.ts';

/** Promise 11, first half: at the end, and in every webhook, a payment's money equals the bank's. */
export const amounts = ofEachPayment(11, (payment, run) => {
  const store = run.observations.stores.find(({ id }) => id === payment.detail.storeId);
  if (!store) return [];
  return [
    ...shown(run, payment, store),
    ...nothingLeft(payment),
    ...inTime(payment),
    ...told(run, payment, store),
  ];
});

/** Every side shows the amount and its fees. */
function shown(run: Case, payment: PaymentEvidence, store: SeenStore): string[] {
  const { detail, read } = payment;
  const pix = countedPix(payment);
  const amount = confirmsMoney(detail.status) && pix ? keptOf(pix) : chargedOf(run.observations, payment);
  const expected = moneyOf(amount, store);
  const listed = run.evidence.lists.get(store.id)?.find(({ id }) => id === payment.id);
  const sides: [string, PaymentBody | undefined][] = [
    ['a read', read.status === 200 ? read.body : undefined],
    ['the list', listed],
    ['the administrators’ side', detail.status === 'missing' ? undefined : detail],
  ];
  return sides.flatMap(([side, body]) =>
    !body || isMoney(body, expected)
      ? []
      : [`it is ${detail.status}, and ${side} shows ${say(body)}, where the bank has ${say(expected)}`],
  );
}

/** An approved payment has something left; one that its returns closed has nothing left. */
function nothingLeft(payment: PaymentEvidence): string[] {
  const pix = countedPix(payment);
  const { status } = payment.detail;
  if (!pix || !isRefundable(status) || keptOf(pix) > 0) return [];
  return [`it is ${status}, and the bank has nothing left of it`];
}
