import { expectUnheard } from '@payments/database/charges/unheard-charges';
import { insertPayment, type NewPayment } from '@payments/database/payments/creation';
import type { Store } from '@payments/database/stores/stores';
import { feesOf } from '@payments/domain/fees';
import { type Payment, paymentView } from '@payments/domain/payment';
import type { Logger } from 'pino';
import type { SettlementContext } from '../context.ts';
import { askForCharge } from './ask-for-charge.ts';
import { closingTime } from './expire.ts';

/** A payment without what follows from its store. */
type Pending = Omit<Payment, 'storeId' | 'status' | 'feeAmount' | 'liquidValue'> &
  Pick<NewPayment, 'expiresAt' | 'bank' | 'by' | 'requestId' | 'foundAt'>;

type Wanted = Omit<Pending, 'bank' | 'copyAndPaste'> & {
  /** The ids of banks that get no new charges now. */
  pausedBanks: readonly string[];
  /** When an earlier try of the same request may have asked a bank. */
  triedSince?: Date | undefined;
};

/**
 * Begins a payment. A bank registers the charge first, with the payment's id as txid; then payment and event are
 * committed. A crash in between leaves a charge whose code nobody has.
 * @returns undefined if another payment has its id, or its reference in the store
 */
export async function beginPayment(
  context: SettlementContext,
  store: Store,
  { pausedBanks, triedSince, ...wanted }: Wanted,
  log: Pick<Logger, 'warn'>,
): Promise<Payment | undefined> {
  const { id, amount, expiresAt, reference, description } = wanted;
  const ofStore = { storeId: store.id, storeName: store.name, test: store.test };
  const terms = { id, amount, ...ofStore, reference, description, expiresAt, triedSince };
  const taken = await askForCharge(context, { ...terms, banks: store.banks, pausedBanks }, log);
  const { bank, copyAndPaste } = taken ?? { bank: null, copyAndPaste: null };
  const payment = await commitPending(context, store, { ...wanted, bank, copyAndPaste });
  // The other one's charge may be at another bank: nobody sees the code of this one.
  if (!payment && bank) await expectUnheard(context.db, [{ paymentId: id, bank, askedAt: context.now() }]);
  return payment;
}

/** @returns the payment, with its store's fees; undefined if another one has its id, or its reference in the store */
export async function commitPending(
  context: SettlementContext,
  store: Store,
  { expiresAt, bank, by, requestId, foundAt, ...given }: Pending,
): Promise<Payment | undefined> {
  const feeTerms = { ppm: store.feePpm, fixed: store.feeFixed };
  const fees = feesOf(given.amount, feeTerms);
  const payment: Payment = { ...given, ...fees, storeId: store.id, status: 'pending' };
  const view = paymentView(payment, context.publicUrl);
  const closeAt = closingTime(context, { expiresAt });
  const terms = { feeTerms, expiresAt, closeAt, bank, by, requestId, foundAt };
  return (await insertPayment(context.db, { payment, test: store.test, view, ...terms }))
    ? payment
    : undefined;
}
