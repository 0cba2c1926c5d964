import { setTimeout as delay } from 'node:timers/promises';
import { findUnknownPix } from '@payments/database/pix-received';
import { findPixWithOtherRefunds } from '@payments/database/refunds-of-bank';
import type { Charge, ReceivedPix } from '@payments/pix/client';
import type { SettlementContext } from './context.ts';
import { refundStateOf } from './sync-refunds.ts';

// How long the answer to a refund is on its way into the database, at most, in all but a busy moment.
const answerRecordedMs = 50;

/** @returns the charges of those that are not on record as the bank lists them */
export async function missedTxids(
  context: SettlementContext,
  listed: readonly ReceivedPix[],
): Promise<(string | null)[]> {
  const missed = new Set([
    ...(await unknownOf(context, listed)),
    ...(await refundedOtherwise(context, listed)),
  ]);
  return listed.filter((pix) => missed.has(pix.endToEndId)).map((pix) => pix.txid);
}

function unknownOf({ db }: SettlementContext, listed: readonly ReceivedPix[]): Promise<string[]> {
  return findUnknownPix(
    db,
    listed.map((pix) => pix.endToEndId),
  );
}

/** @returns the endToEndIds of Pix whose refunds are not on record as the bank shows them */
function refundedOtherwise({ db }: SettlementContext, listed: readonly ReceivedPix[]): Promise<string[]> {
  const refunds = listed.flatMap(({ endToEndId, refunds }) =>
    refunds.map((refund) => ({ endToEndId, id: refund.id, state: refundStateOf(refund) })),
  );
  return findPixWithOtherRefunds(db, refunds);
}

/**
 * Whether all that a charge with refunds says is on record; takes no locks. The bank tells of a refund as it answers to
 * it, so that the answer is mostly being recorded meanwhile: a moment's patience then saves a wait, and a transaction.
 */
export async function isOnRecord(context: SettlementContext, { pix }: Charge): Promise<boolean> {
  const hasRefunds = pix.some(({ refunds }) => refunds.length > 0);
  if (!hasRefunds || (await unknownOf(context, pix)).length > 0) return false;
  if ((await refundedOtherwise(context, pix)).length === 0) return true;
  await delay(answerRecordedMs);
  return (await refundedOtherwise(context, pix)).length === 0;
}
