import { findNewestPaid, type findPix } from '@payments/database/charges/pix-received';
import { findPayment } from '@payments/database/payments/payments';
import { paymentIdOf, txidOf } from '@payments/domain/identifiers';
import type { Charge, ReceivedPix, UnreadablePix } from '@payments/pix/client';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { isSameKey } from '@payments/pix/keys';
import { isNotAsked } from '../answers.ts';
import type { BankContext } from '../context.ts';

/**
 * Tells our charges from another system's, where no payment says so. A charge with our mark is ours. Without it, a charge
 * with a txid of our form is another system's only at a bank that is known to repeat the mark: what may be ours is kept
 * and shown, never dropped.
 * @param repeats whether this bank repeats the mark; give one that remembers its answer where many charges are judged
 * @throws PixUnavailable, PixRefused if the bank can't be asked
 */
export async function isOwnCharge(
  context: BankContext,
  { txid, storeId }: Charge,
  repeats: () => Promise<boolean> = () => repeatsMark(context),
): Promise<boolean> {
  if (storeId !== null) return true;
  return paymentIdOf(txid) !== undefined && !(await repeats());
}

/**
 * @returns whether the bank repeats our mark (`infoAdicionais`), as the charge of the newest Pix on record shows; false if
 * nothing shows it
 * @throws PixUnavailable, PixRefused
 */
export async function repeatsMark({ db, bank, pix }: BankContext): Promise<boolean> {
  const paymentId = await findNewestPaid(db, bank);
  if (paymentId === undefined) return false;
  const charge = await pix.getCharge(txidOf(paymentId));
  return charge !== null && charge.storeId !== null;
}

/** A Pix as a list names it, whether it can be read or not. */
export type ListedPix = ReceivedPix | UnreadablePix;

/** The record of a Pix. */
export type OnRecord = Awaited<ReturnType<typeof findPix>>[number];

/** `elsewhere` is the money of another configured entry of the same account; `others` is not this service's. */
export type Owner = 'ours' | 'elsewhere' | 'others';

/**
 * @returns a function that says whose money a Pix of the account is. The record decides first, then the key, and then the
 * charge, for which the bank is asked once. In two cases nothing decides, and the Pix counts as ours, so that it is shown as
 * a difference and not dropped: it can't be read and names no charge, or the bank can't show its charge of our form
 * @throws from that function: PixUnavailable while the bank is not asked; the signal's reason
 */
export function ownerOfPix(context: BankContext, signal?: AbortSignal) {
  const { bank, db, pix: client } = context;
  const chargeOf = once((txid) => client.getCharge(txid).catch(insteadOfFailure(null)));
  const repeats = once(() => repeatsMark(context).catch(insteadOfFailure(false)));
  return async (one: ListedPix, record: OnRecord | undefined): Promise<Owner> => {
    if (record?.bank === bank) return 'ours';
    const { txid, key } = one;
    const paymentId = txid === null ? undefined : paymentIdOf(txid);
    const payment = paymentId === undefined ? undefined : await findPayment(db, paymentId);
    if (payment?.bank === bank) return 'ours';
    if (!isSameKey(client.key, key)) return ownerOfKey(context, key);
    // From here on the key is ours, or the list gives none.
    const isKnown = record !== undefined || payment !== undefined;
    const isNameless = txid === null && !('amount' in one);
    // A Pix on record at another bank is this bank's all the same if it has our key. Without a key, its charge decides.
    if (isKnown ? key !== null : isNameless) return 'ours';
    if (txid === null || paymentId === undefined) return isKnown ? 'ours' : 'others';
    signal?.throwIfAborted();
    const charge = await chargeOf(txid);
    if (charge === null) return 'ours';
    if (!isSameKey(client.key, charge.key)) return ownerOfKey(context, charge.key);
    return isKnown || (await isOwnCharge(context, charge, repeats)) ? 'ours' : 'others';
  };
}

function ownerOfKey({ bank, banks }: BankContext, key: string | null): Owner {
  const isConfigured = banks.all().some(({ id, client }) => id !== bank && isSameKey(client.key, key));
  return isConfigured ? 'elsewhere' : 'others';
}

/** The list has just been answered, so that a failure is of this charge alone. */
function insteadOfFailure<T>(instead: T): (error: unknown) => T {
  return (error) => {
    const isOfCharge = error instanceof PixUnavailable || error instanceof PixRefused;
    if (!isOfCharge || isNotAsked(error)) throw error;
    return instead;
  };
}

function once<T>(ask: (txid: string) => Promise<T>): (txid?: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (txid = '') => {
    const answer = asked.get(txid) ?? ask(txid);
    asked.set(txid, answer);
    return answer;
  };
}
