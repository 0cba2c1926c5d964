import type { Defect } from './defect.ts';
import { fairByEndpoint, leaseNotFenced, leaseWithoutEnd, lostAnswerCountsAsSent } from './deliveries.ts';
import { eventOutsideTransaction, feedWithoutHorizon, outboxByLastId } from './events.ts';
import {
  leftoverApproves,
  medIgnored,
  overPaymentAsCharged,
  refundWithoutStoredId,
  testChargesRoutedAsReal,
  unheardForgotten,
} from './payments.ts';
import { tokenCached } from './token-cached.ts';

export const allDefects: readonly Defect[] = [
  leaseNotFenced,
  outboxByLastId,
  refundWithoutStoredId,
  leaseWithoutEnd,
  tokenCached,
  eventOutsideTransaction,
  overPaymentAsCharged,
  medIgnored,
  unheardForgotten,
  leftoverApproves,
  fairByEndpoint,
  feedWithoutHorizon,
  lostAnswerCountsAsSent,
  testChargesRoutedAsReal,
];
