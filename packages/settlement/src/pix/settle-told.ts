import { findPix, listPixReceived } from '@payments/database/charges/pix-received';
import { findChargeTold, type ToldReturn } from '@payments/database/charges/problems';
import type { StoredPayment } from '@payments/database/payments/payments';
import { knownAs, paymentIdOf, txidOf } from '@payments/domain/identifiers';
import { PixUnavailable } from '@payments/pix/errors';
import { type ReadCharge, readCharge } from '../charges/read-charge.ts';
import { orSetAside, setAside, Unsettleable } from '../charges/set-aside.ts';
import type { BankContext } from '../context.ts';
import { learnFromPix } from '../refunds/follow-bank-refund.ts';
import { completeReturns } from '../refunds/sync-refunds.ts';
import { inDoubt, notOnRecord, type Told, toldOf } from './on-record.ts';
import { placeCharge } from './place-charge.ts';
import { type Settled, settleCharge } from './settle-charge.ts';

export type SettleOptions = {
  requestId?: string | null;
  /** Called with each settled payment. */
  onSettled?: (settled: Settled) => void;
};

/**
 * Settles the charges of a callback. A charge of ours that can't be settled is set aside with all that was told of it,
 * and tried again.
 * @returns how many Pix were new
 * @throws PixUnavailable while the PSP is down, so that it repeats the callback
 */
export async function settleTold(
  context: BankContext,
  told: readonly Told[],
  options: SettleOptions = {},
): Promise<number> {
  const failures: unknown[] = [];
  let found = 0;
  for (const one of told.filter(({ txid }) => paymentIdOf(txid) !== undefined)) {
    const settle = () => settleOne(context, one, options);
    found += await orSetAside(context, one, false, settle).catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
  }
  if (failures.length > 0) throw failures[0];
  return found;
}

/**
 * Reads one of our charges from the PSP and settles it.
 * @returns how many Pix were new; 0 for a charge that is not ours
 * @throws PixUnavailable, PixRefused; Unsettleable while anything that was told is not on record
 */
export async function settleOne(
  context: BankContext,
  told: Told,
  { requestId = null, onSettled }: SettleOptions = {},
): Promise<number> {
  const paymentId = paymentIdOf(told.txid);
  if (!paymentId) return 0;
  const read = await readCharge(context, told).catch(async (error: unknown) => {
    if (await isLearntFromPix(context, told, error)) return undefined;
    throw error;
  });
  if (!read) return 0;
  const isKnown = await isAllOnRecord(context, paymentId, read);
  if (isKnown) await completeReturns(context, read.charge.pix);
  const settle = () => settleCharge(context, paymentId, read.charge, requestId);
  let settled = isKnown ? undefined : await settle();
  if (!isKnown && !settled) {
    if (!(await placeCharge(context, paymentId, read.charge))) return 0;
    settled = await settle();
  }
  if (settled) onSettled?.(settled);
  await assertOnRecord(context, told, read, settled);
  return settled?.newPix ?? 0;
}

/**
 * A bank may have its old charges no more, and still the Pix whose returns it tells.
 * @param error why the charge could not be read
 * @returns whether its Pix on record show all that was told
 * @throws Unsettleable if they show all but returns under way
 */
async function isLearntFromPix(context: BankContext, told: Told, error: unknown): Promise<boolean> {
  const isUnknown = error instanceof Unsettleable && error.why === 'charge_unknown';
  const isUnreadable = error instanceof PixUnavailable && error.reason === 'unreadable';
  const returned = [...new Set(told.returns?.map(({ endToEndId }) => endToEndId))];
  if (returned.length === 0 || !(isUnknown || isUnreadable)) return false;
  const known = (await findPix(context.db, returned, [told.txid])).map(({ endToEndId }) => endToEndId);
  const onRecord = new Set(returned.map((id) => knownAs(id, known)).filter((id) => known.includes(id)));
  const shown: string[] = [];
  for (const id of onRecord) if (await learnFromPix(context, id).catch(() => {})) shown.push(id);
  const missing = await inDoubt(context, told);
  const failure = missing && lacking(missing, shown);
  if (failure?.why === 'return_not_shown') throw failure;
  return !missing;
}

/**
 * Lets the callback of a refund that is on record already pass without a wait for the payment's lock.
 * @returns whether the charge shows returns, and all that it shows is on record of the payment. A Pix that went back while
 * it fit no payment is not: it is still to be placed there
 */
async function isAllOnRecord(
  context: BankContext,
  paymentId: string,
  { charge }: ReadCharge,
): Promise<boolean> {
  if (!charge.pix.some(({ refunds }) => refunds.length > 0)) return false;
  const placed = await listPixReceived(context.db, paymentId);
  if (placed.length < charge.pix.length) return false;
  return (await notOnRecord(context, toldOf({ pix: charge.pix, unreadable: [] }))).length === 0;
}

/** @throws Unsettleable for whatever the bank told of, or shows, and is not on record */
async function assertOnRecord(
  context: BankContext,
  { txid, endToEndIds, returns = [], pixTold = 0 }: Told,
  { charge, doubt }: ReadCharge,
  settled: Settled | undefined,
): Promise<void> {
  if (settled && settled.misplaced.length > 0) throw new Unsettleable('misplaced', { code: 'pix_misplaced' });
  if (doubt) throw new Unsettleable('unreadable', { code: doubt });
  const shown = charge.pix.map(({ endToEndId }) => endToEndId);
  const unseen = endToEndIds.some((id) => !shown.includes(id));
  const isToRead = unseen || returns.length > 0 || charge.pix.length < pixTold;
  const missing = isToRead ? await inDoubt(context, { txid, endToEndIds, returns, pixTold }) : undefined;
  if (missing) throw lacking(missing, shown);
}

/**
 * @param shown the Pix that the bank showed
 * @returns the failure for what was told and is not on record. A return that was told as made took money: it is never
 * believed gone, however often the bank does not show it
 */
function lacking({ endToEndIds, returns = [], pixTold }: Told, shown: readonly string[]): Unsettleable {
  if (endToEndIds.length > 0 || pixTold)
    return new Unsettleable('not_in_charge', { code: 'pix_not_in_charge' });
  const isUnderWay = ({ endToEndId, state }: ToldReturn) =>
    state === 'processing' && shown.includes(knownAs(endToEndId, shown));
  const why = returns.every(isUnderWay) ? 'return_not_shown' : 'not_in_charge';
  return new Unsettleable(why, { code: 'return_not_in_charge' });
}

/**
 * Asks the bank for all that it has of a payment, before a person's decision on its money. What it shows and can't be put
 * on record is kept, as that of a callback is.
 * @throws PixUnavailable, PixRefused; Unsettleable while the bank and the books are in doubt
 */
export async function learnFromBank(context: BankContext, payment: StoredPayment): Promise<void> {
  const { db, bank } = context;
  const txid = txidOf(payment.id);
  const told = { txid, endToEndIds: [], ...(await findChargeTold(db, { bank, txid })) };
  const known = await listPixReceived(db, payment.id);
  const read = await readCharge(
    context,
    told,
    known.filter((one) => one.bank === bank).map(({ endToEndId }) => endToEndId),
  );
  if (!read) throw new Unsettleable('contradicts', { code: 'other_receiver' });
  const settled = await settleCharge(context, payment.id, read.charge);
  await assertOnRecord(context, told, read, settled).catch(async (error: unknown) => {
    const shown = toldOf({ pix: read.charge.pix, unreadable: [...read.oddPix] });
    const [left] = await notOnRecord(context, shown);
    if (left && error instanceof Unsettleable) await setAside(context, left, error);
    throw error;
  });
}
