import { findStore } from '@payments/database/stores/stores';
import type { BankError } from '@payments/domain/bank-error';
import { createdAtOf, isId } from '@payments/domain/identifiers';
import { isTestBank } from '@payments/domain/route-charge';
import type { Charge } from '@payments/pix/client';
import { commitPending } from '../charges/begin-payment.ts';
import { Unsettleable } from '../charges/set-aside.ts';
import type { BankContext } from '../context.ts';
import { areKeptWithRefunds } from './on-record.ts';
import { isOwnCharge } from './ours.ts';

/**
 * Creates a payment that a restored database has lost anew from its charge, if the operator asked for that.
 * @returns false for another system's charge
 * @throws Unsettleable for our charge without a payment
 */
export async function placeCharge(context: BankContext, paymentId: string, charge: Charge): Promise<boolean> {
  if (!(await isOwnCharge(context, charge))) return false;
  const ids = charge.pix.map(({ endToEndId }) => endToEndId);
  // A Pix of which something went back while it was kept is left to people: a payment could not count it.
  const mayRecover = context.recoversPayments && !(await areKeptWithRefunds(context.db, ids));
  if (mayRecover && (await recoverPayment(context, paymentId, charge))) return true;
  const { storeId, pix } = charge;
  const error: BankError =
    storeId === null
      ? { code: 'no_payment_of_unknown_store' }
      : { code: 'no_payment_of_store', detail: storeId };
  throw new Unsettleable('no_payment', error, pix);
}

// API Pix 2.9: `calendario.expiracao` is 86400 where it is left out.
const defaultExpirySeconds = 86_400;

/**
 * Creates a payment anew that a restored database has lost, from its charge at the bank: the id is the txid, and the
 * charge names its store. What only the database knew is gone: e-mail, observation, reference, description, webhook URL and the
 * fees of that time. So the store gets no webhook of it. Its feed tells it as of now.
 * @returns false if the charge does not say enough, or its store is unknown, too, or is none of this bank's kind
 */
export async function recoverPayment(context: BankContext, id: string, charge: Charge): Promise<boolean> {
  const { db, bank, log } = context;
  const { amount, storeId, copyAndPaste, createdAt: registeredAt, expiresInSeconds } = charge;
  if (storeId === null || !isId(storeId) || copyAndPaste === null) return false;
  const store = await findStore(db, storeId);
  if (!store || store.test !== isTestBank(bank)) return false;
  const createdAt = createdAtOf(id);
  const seconds = expiresInSeconds ?? defaultExpirySeconds;
  const expiresAt = new Date((registeredAt ?? createdAt).getTime() + seconds * 1_000);
  const known = { id, amount, copyAndPaste, createdAt, expiresAt, bank, foundAt: context.now() };
  if (await commitPending(context, store, { ...known, ...unknown }))
    log.warn({ paymentId: id, storeId, bank }, 'a lost payment was found at the bank');
  return true;
}

const unknown = {
  observation: null,
  email: null,
  webhookUrl: null,
  reference: null,
  expiresIn: null,
  description: null,
  isPublic: true,
  by: null,
  requestId: null,
} as const;
