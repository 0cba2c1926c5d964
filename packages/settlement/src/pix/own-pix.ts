import type { findPix } from '@payments/database/charges/pix-received';
import { findPayment } from '@payments/database/payments/payments';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { ReceivedPix, UnreadablePix } from '@payments/pix/client';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { isSameKey } from '@payments/pix/keys';
import type { BankContext } from '../context.ts';
import { isNotAsked } from '../failures.ts';
import { isOwnCharge, repeatsMark } from './own-charge.ts';

/** A Pix as a list names it, whether it can be read or not. */
export type ListedPix = ReceivedPix | UnreadablePix;

/** What is on record of a Pix. */
export type OnRecord = Awaited<ReturnType<typeof findPix>>[number];

/** `elsewhere` is the money of another configured entry of the same account; `others` is not this service's. */
export type Owner = 'ours' | 'elsewhere' | 'others';

/**
 * @returns a function that tells our Pix from the account's other money: by what is on record, then by the key, then by
 * the charge, which is asked for once. What can't be read and names no charge counts as ours, and so does a Pix of a
 * charge of our form that the bank can't show: it is a difference rather than dropped
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
    const isKnown = record !== undefined || payment !== undefined;
    const isNameless = txid === null && !('amount' in one);
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
