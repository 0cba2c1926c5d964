import { setTimeout as delay } from 'node:timers/promises';
import { findUnknownPix } from '@payments/database/charges/pix-received';
import { findPixWithOtherRefunds } from '@payments/database/refunds/of-bank';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { Charge, ReceivedPix } from '@payments/pix/client';
import type { SettlementContext } from './context.ts';
import { refundStateOf } from './sync-refunds.ts';

// How long the answer to a refund is on its way into the database, at most, in all but a busy moment.
const answerRecordedMs = 50;

/** @returns those of these Pix that are not on record as the bank lists them */
export async function missedPix(
  { db }: SettlementContext,
  listed: readonly ReceivedPix[],
): Promise<ReceivedPix[]> {
  const missed = new Set([
    ...(await findUnknownPix(db, listed.map(placeOf))),
    ...(await findPixWithOtherRefunds(db, refundsOf(listed))),
  ]);
  return listed.filter((pix) => missed.has(pix.endToEndId));
}

function placeOf({ endToEndId, txid }: ReceivedPix) {
  return { endToEndId, paymentId: (txid && paymentIdOf(txid)) || null };
}

function refundsOf(listed: readonly ReceivedPix[]) {
  return listed.flatMap(({ endToEndId, refunds }) =>
    refunds.map((refund) => ({ endToEndId, id: refund.id, state: refundStateOf(refund) })),
  );
}

/**
 * Whether all that a charge with refunds says is on record; takes no locks. The bank tells of a refund as it answers to
 * it, so that the answer is mostly being recorded meanwhile: a moment's patience then saves a wait, and a transaction.
 */
export async function isOnRecord(
  { db }: SettlementContext,
  paymentId: string,
  { pix }: Charge,
): Promise<boolean> {
  const hasRefunds = pix.some(({ refunds }) => refunds.length > 0);
  const places = pix.map(({ endToEndId }) => ({ endToEndId, paymentId }));
  if (!hasRefunds || (await findUnknownPix(db, places)).length > 0) return false;
  if ((await findPixWithOtherRefunds(db, refundsOf(pix))).length === 0) return true;
  await delay(answerRecordedMs);
  return (await findPixWithOtherRefunds(db, refundsOf(pix))).length === 0;
}
