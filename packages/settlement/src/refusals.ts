import type { RefundRule } from '@payments/domain/bank-error';
import type { PaymentStatus } from '@payments/domain/status';

/** Why a person's order is refused, where the code says it all. */
export type PlainRefusal =
  | RefundRule
  | 'beingRefunded'
  | 'nothingReceivedLeft'
  | 'returnUnderWay'
  | 'inDoubt'
  | 'chargeUnknown'
  | 'statusChanged'
  | 'amountChanged'
  | 'nothingToRefund'
  | 'refusedByBank'
  | 'leftChanged'
  | 'refundLimitReached'
  | 'nothingOfPix'
  | 'ofPayer'
  | 'ofBank'
  | 'notRefused'
  | 'ended'
  | 'orderedAlready'
  | 'notAtTestBank';

/** Why a person's order is refused. Its words are the API's and the panel's. */
export type Refusal =
  | { code: PlainRefusal }
  | { code: 'transition'; from: PaymentStatus; to: PaymentStatus }
  | { code: 'notRefundable' | 'notOwed'; status: PaymentStatus };

/** A rule forbids what a person asked; nothing was written. `kind` names the refusal for programs (Contract: error body). */
export abstract class Refused extends Error {
  abstract readonly kind: string;
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}
