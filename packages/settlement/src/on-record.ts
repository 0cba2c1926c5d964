import { setTimeout as delay } from 'node:timers/promises';
import { findUnknownPix } from '@payments/database/charges/pix-received';
import { findPixWithOtherRefunds } from '@payments/database/refunds/of-bank';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { Charge, ReceivedPix } from '@payments/pix/client';
import type { BankContext } from './context.ts';
import { refundStateOf } from './sync-refunds.ts';

// The usual time until the response to a refund is recorded.
const responseRecordedMs = 50;

/** @returns those of these Pix that the database does not have as the bank lists them */
export async function missedPix({ db }: BankContext, listed: readonly ReceivedPix[]): Promise<ReceivedPix[]> {
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
 * Checks without locks whether everything that a charge with refunds shows is recorded. The bank sends the callback of
 * a refund with its response, which is often just being recorded. A short wait then saves a transaction.
 */
export async function isOnRecord({ db }: BankContext, paymentId: string, { pix }: Charge): Promise<boolean> {
  const hasRefunds = pix.some(({ refunds }) => refunds.length > 0);
  const places = pix.map(({ endToEndId }) => ({ endToEndId, paymentId }));
  if (!hasRefunds || (await findUnknownPix(db, places)).length > 0) return false;
  if ((await findPixWithOtherRefunds(db, refundsOf(pix))).length === 0) return true;
  await delay(responseRecordedMs);
  return (await findPixWithOtherRefunds(db, refundsOf(pix))).length === 0;
}
