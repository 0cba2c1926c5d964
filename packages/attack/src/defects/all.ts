import type { Defect } from './defect.ts';
import { eventOutsideTransaction } from './event-outside-transaction.ts';
import { fairByEndpoint } from './fair-by-endpoint.ts';
import { feedWithoutHorizon } from './feed-without-horizon.ts';
import { leaseNotFenced } from './lease-not-fenced.ts';
import { leaseWithoutEnd } from './lease-without-end.ts';
import { leftoverApproves } from './leftover-approves.ts';
import { lostAnswerCountsAsSent } from './lost-answer-counts-as-sent.ts';
import { medIgnored } from './med-ignored.ts';
import { outboxByLastId } from './outbox-by-last-id.ts';
import { overPaymentAsCharged } from './over-payment-as-charged.ts';
import { refundWithoutStoredId } from './refund-without-stored-id.ts';
import { testChargesRoutedAsReal } from './test-charges-routed-as-real.ts';
import { tokenCached } from './token-cached.ts';
import { unheardForgotten } from './unheard-forgotten.ts';

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
