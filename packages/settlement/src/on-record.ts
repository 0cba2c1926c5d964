import { findUnknownPix } from '@payments/database/charges/pix-received';
import { findPixWithOtherRefunds } from '@payments/database/refunds/of-bank';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { ReceivedPix } from '@payments/pix/client';
import type { BankContext } from './context.ts';
import { refundStateOf } from './sync-refunds.ts';

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
