import { readPausedBanks } from '@payments/database/banks/banks';
import { insertPayment } from '@payments/database/payments/creation';
import { findStore } from '@payments/database/stores/stores';
import { feesOf } from '@payments/domain/fees';
import { createdAtOf } from '@payments/domain/identifiers';
import { type Payment, paymentView } from '@payments/domain/payment';
import { askForCharge } from '../../src/ask-for-charge.ts';
import type { SettlementContext } from '../../src/context.ts';
import { closingTime } from '../../src/expire.ts';

export type Creation = {
  paymentId: string;
  storeId: string;
  amount: number;
  /** True for a request that is repeated under its key: an earlier one may have asked a bank, and died. */
  isRepeated: boolean;
};

export const chargeSeconds = 3_600;

/** Creates a payment as a store's request does. */
export async function create(
  context: SettlementContext,
  { paymentId: id, storeId, amount, isRepeated }: Creation,
): Promise<void> {
  const { db, now, publicUrl, log } = context;
  const store = (await findStore(db, storeId))!;
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + chargeSeconds * 1_000);
  const triedSince = isRepeated ? createdAtOf(id) : undefined;
  const terms = { id, amount, storeId, storeName: store.name, expiresAt, triedSince };
  const taken = await askForCharge(
    context,
    { ...terms, banks: store.banks, pausedBanks: await readPausedBanks(context.db) },
    log,
  );
  const feeTerms = { ppm: store.feePpm, fixed: store.feeFixed };
  const payment: Payment = {
    ...{ id, storeId, amount, status: 'pending', isPublic: true, createdAt },
    ...{ observation: null, email: null, webhookUrl: 'http://127.0.0.1:1/' },
    ...feesOf(amount, feeTerms),
    copyAndPaste: taken?.copyAndPaste ?? null,
    ...{ reference: null, expiresIn: null },
  };
  const view = paymentView(payment, publicUrl);
  const closeAt = closingTime(context, { expiresAt });
  const bank = taken?.bank ?? null;
  await insertPayment(db, { payment, bank, view, feeTerms, expiresAt, closeAt, by: null, requestId: null });
}
