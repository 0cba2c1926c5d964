import { findPix } from '@payments/database/charges/pix-received';
import type { ToldReturn } from '@payments/database/charges/problems';
import type { Queryable } from '@payments/database/connection';
import type { BankErrorCode } from '@payments/domain/bank-error';
import { paymentIdOf } from '@payments/domain/identifiers';
import { isSameId, together } from '@payments/pix/answers';
import type { Charge, ReceivedPix, Refund, UnreadablePix } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import { isSameKey } from '@payments/pix/keys';
import type { BankContext } from '../context.ts';
import type { Told } from '../pix/on-record.ts';
import { refundStateOf } from '../refunds/sync-refunds.ts';
import { Unsettleable } from './set-aside.ts';

/** A charge as the bank shows it in all the places that were asked. */
export type ReadCharge = {
  charge: Charge;
  /** A Pix or a return of it that can't be read anywhere, or a Pix that must be shown by itself and is not; null for none. */
  doubt: BankErrorCode | null;
  /** Pix of it that can't be read in the charge. */
  oddPix: readonly UnreadablePix[];
};

/**
 * Reads a charge from the bank. A Pix whose told returns the charge does not show is asked for by itself: copies of a
 * bank lag behind each other, and some banks show returns with the Pix alone.
 * @param each Pix on record that must be shown by themselves, whatever the charge shows
 * @returns undefined for a charge of another configured entry of the same account
 * @throws PixUnavailable, PixRefused; Unsettleable for a charge that is unknown, or another receiver's
 */
export async function readCharge(
  context: BankContext,
  told: Told,
  each: readonly string[] = [],
): Promise<ReadCharge | undefined> {
  const { txid, returns = [] } = told;
  const shown = await context.pix.getCharge(txid);
  if (!shown) throw new Unsettleable('charge_unknown', { code: 'charge_unknown' });
  const { oddPix = [], ...charge } = shown;
  if (isOfAnotherEntry(context, charge.key) && !(await isOnRecord(context, charge))) return undefined;
  await assertOurKey(context, charge);
  const key = charge.key ?? context.pix.key;
  const lacking = returns.filter((one) => !isShown(charge, one));
  const odd = [...charge.pix.filter(isOdd), ...oddPix].flatMap(({ endToEndId }) => endToEndId ?? []);
  const alone = new Map<string, ReceivedPix>();
  for (const id of new Set([...each, ...(await ofCharge(context, charge, lacking)), ...odd])) {
    const pix = await readAlone(context, id);
    if (pix && (pix.txid ?? txid) === txid && isSameKey(key, pix.key)) alone.set(id, pix);
  }
  const hidden = [...alone.values()].filter(({ endToEndId }) => !idsOf(charge.pix).includes(endToEndId));
  const pix = [...charge.pix, ...hidden].map((one) => together(one, alone.get(one.endToEndId)));
  const isUnread = oddPix.some(({ endToEndId }) => endToEndId === null || !alone.has(endToEndId));
  const isUnseen = each.some((id) => !alone.has(id));
  const doubt =
    (isUnread && 'pix_unreadable') ||
    (pix.some(isOdd) && 'return_unreadable') ||
    (isUnseen && 'pix_not_in_charge') ||
    null;
  return { charge: { ...charge, pix }, doubt, oddPix };
}

/** @returns null for a Pix that the bank does not show, or that nobody can read: that holds up no other */
async function readAlone({ pix }: BankContext, endToEndId: string): Promise<ReceivedPix | null> {
  return pix.getPix(endToEndId).catch((error: unknown) => {
    const isUnreadable = error instanceof PixUnavailable && error.reason === 'unreadable';
    if (!isUnreadable && !(error instanceof RangeError)) throw error;
    return null;
  });
}

const idsOf = (pix: readonly Pick<ReceivedPix, 'endToEndId'>[]) => pix.map(({ endToEndId }) => endToEndId);
const isOdd = ({ oddRefunds }: ReceivedPix) => oddRefunds > 0;

function isShown({ pix }: Charge, told: ToldReturn): boolean {
  const of = pix.find(({ endToEndId }) => endToEndId === told.endToEndId);
  const isIt = ({ id }: Refund) => told.id !== null && isSameId(id, told.id);
  return of?.refunds.some((shown) => isIt(shown) && isAsFar(shown, told)) ?? false;
}

/** @returns the Pix of these returns that the charge shows or its payment has: another is unmatched until then */
async function ofCharge(
  { db }: BankContext,
  { txid, pix }: Charge,
  returns: readonly ToldReturn[],
): Promise<string[]> {
  const told = returns.map(({ endToEndId }) => endToEndId);
  if (told.length === 0) return [];
  const known = await findPix(db, told);
  const placed = known.filter(({ paymentId }) => paymentId !== null && paymentId === paymentIdOf(txid));
  return [...idsOf(placed), ...idsOf(pix).filter((id) => told.includes(id))];
}

/** Another entry of BANKS_FILE may reach the same account with a key of its own. */
export function isOfAnotherEntry({ banks, bank, pix }: BankContext, key: string | null): boolean {
  if (key === null || isSameKey(pix.key, key)) return false;
  return banks.all().some((other) => other.id !== bank && isSameKey(other.client.key, key));
}

/**
 * A charge whose key is another one is ours if its payment has a Pix of it: the bank's key has changed since.
 * @throws Unsettleable: money for another receiver pays nothing of ours
 */
export async function assertOurKey(
  context: Pick<BankContext, 'bank' | 'pix'> & { db: Queryable },
  charge: Charge,
): Promise<void> {
  const keys = [charge.key, ...charge.pix.map((one) => one.key)];
  const isOurs = keys.every((one) => isSameKey(context.pix.key, one)) || (await isOnRecord(context, charge));
  if (!isOurs) throw new Unsettleable('contradicts', { code: 'key_differs' });
}

async function isOnRecord(
  { db, bank }: Pick<BankContext, 'bank'> & { db: Queryable },
  { txid, pix }: Charge,
): Promise<boolean> {
  const known = await findPix(db, idsOf(pix));
  return known.some((one) => one.bank === bank && one.paymentId === paymentIdOf(txid));
}

function isAsFar(shown: Refund, { state }: ToldReturn): boolean {
  return refundStateOf(shown) === state || shown.status !== 'EM_PROCESSAMENTO';
}
