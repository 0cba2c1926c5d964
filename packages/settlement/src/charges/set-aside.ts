import { findPix } from '@payments/database/charges/pix-received';
import {
  findChargeTold,
  keepToldOfCharge,
  recordChargeProblem,
  tellOfChargeSetAside,
} from '@payments/database/charges/problems';
import { insertUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import type { Queryable } from '@payments/database/connection';
import { DatabaseUnavailable } from '@payments/database/errors';
import { lockPayment } from '@payments/database/payments/payments';
import { inTransaction } from '@payments/database/transaction';
import { type BankError, BankFailure, bankErrorOf } from '@payments/domain/bank-error';
import { knownAs, paymentIdOf } from '@payments/domain/identifiers';
import type { ReceivedPix } from '@payments/pix/client';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { isSameKey } from '@payments/pix/keys';
import { isBelieved, isNotAsked } from '../answers.ts';
import type { BankContext } from '../context.ts';
import { tellUnmatched } from '../notices.ts';
import type { Told } from '../pix/on-record.ts';

const pauses = { firstMs: 10_000, longestMs: 15 * 60_000 };

export type WhyUnsettleable =
  | 'charge_unknown'
  | 'not_in_charge'
  | 'return_not_shown'
  | 'no_payment'
  | 'contradicts'
  | 'misplaced'
  | 'refused'
  | 'unreadable'
  | 'unanswered';

/** A charge that can't be settled now. It is kept, and does not stop other charges. */
export class Unsettleable extends BankFailure {
  override readonly name = 'Unsettleable';
  readonly why: WhyUnsettleable;
  /** The Pix that the bank shows in the charge, where no payment is known of it. */
  readonly shown: readonly ReceivedPix[];

  constructor(why: WhyUnsettleable, error: BankError, shown: readonly ReceivedPix[] = []) {
    super(error);
    this.why = why;
    this.shown = shown;
  }
}

const fitsNone: readonly WhyUnsettleable[] = ['charge_unknown', 'not_in_charge', 'no_payment'];

/**
 * Does work on a charge. A charge that fails is set aside with all that the bank told of it: it is tried again with
 * growing pauses, and shown until that is on record. A Pix that the PSP confirms, and that fits no payment, is kept as
 * unmatched.
 * @param isAnswering whether the PSP has just responded for other charges
 * @returns how many Pix were new
 * @throws a failure that is not this charge's. If nobody else has the told facts, they are kept all the same
 */
export async function orSetAside(
  context: BankContext,
  told: Told,
  isAnswering: boolean,
  settle: () => Promise<number>,
): Promise<number> {
  try {
    return await settle();
  } catch (error) {
    const failure = unsettleableBy(error);
    if (isOfThisCharge(error, isAnswering)) {
      await setAside(context, told, failure);
      return 0;
    }
    if (!isAnswering) await keepTold(context, told, failure);
    throw error;
  }
}

/** Keeps what other work saw of a charge. Its look is no try to settle the charge, whose own pauses stay. */
export async function keepSeen(context: BankContext, told: Told, failure: Unsettleable): Promise<void> {
  const { db, bank, log, now } = context;
  const { txid } = told;
  if (await findChargeTold(db, { bank, txid }))
    return tellOfChargeSetAside(db, { ...told, bank, now: now() });
  await keepTold(context, told, failure);
  log.error(
    { bank, txid, why: failure.why, reason: failure.message },
    'a charge shows what is not on record',
  );
}

/** The PSP may not repeat its callback, and its lists may show a return only hours later. */
async function keepTold(
  { db, bank, now }: BankContext,
  told: Told,
  { stored: error }: Unsettleable,
): Promise<void> {
  const since = now();
  const tryAt = new Date(since.getTime() + pauses.firstMs);
  const paymentId = paymentIdOf(told.txid) ?? null;
  await keepToldOfCharge(db, { ...told, bank, paymentId, error, since, tryAt });
}

/** @throws DatabaseUnavailable: nothing can be set aside then */
function unsettleableBy(failure: unknown): Unsettleable {
  if (failure instanceof Unsettleable) return failure;
  if (failure instanceof DatabaseUnavailable) throw failure;
  const error = bankErrorOf(failure);
  if (!(failure instanceof PixUnavailable)) return new Unsettleable('refused', error);
  return new Unsettleable(failure.reason === 'unreadable' ? 'unreadable' : 'unanswered', error);
}

/** While the PSP responds for other charges, its silence is this charge's failure. */
function isOfThisCharge(failure: unknown, isAnswering: boolean): boolean {
  if (failure instanceof PixRefused) return isAnswering || !failure.aboutAccess;
  if (!(failure instanceof PixUnavailable) || failure.reason === 'unreadable') return true;
  return isAnswering && !isNotAsked(failure);
}

/**
 * @returns whether a charge was tried again, and the bank showed its Pix without a return that it had told of. Told for the
 * first time or once more, it is shown
 */
const isLook = ({ looks }: Told, { why }: Unsettleable) => looks !== undefined && why === 'return_not_shown';

/** @returns whether a told return is believed gone: by this look too, the bank did not show it */
export function isBelievedGone({ looks = 0 }: Told, error: unknown): boolean {
  return error instanceof Unsettleable && error.why === 'return_not_shown' && isBelieved(looks + 1);
}

/** Keeps all that the bank told of a charge, which is shown and tried again until that is on record. */
export async function setAside(context: BankContext, told: Told, error: Unsettleable): Promise<void> {
  const { db, bank, log, now } = context;
  const { txid } = told;
  const paymentId = paymentIdOf(txid) ?? null;
  const shown = { isLook: isLook(told, error), isShown: told.looks === undefined };
  const failed = { ...told, ...shown, bank, work: 'settle' as const, paymentId, error: error.stored };
  const { tries } = await recordChargeProblem(db, { ...failed, now: now(), pauses });
  log.error({ bank, txid, paymentId, why: error.why, tries, reason: error.message }, 'charge set aside');
  if (fitsNone.includes(error.why)) await keepUnmatched(context, told, error);
}

/** A Pix that can't be read now is asked for at the next try: the charge stays set aside. */
async function keepUnmatched(
  context: BankContext,
  { txid, endToEndIds }: Told,
  { why: reason, shown }: Unsettleable,
): Promise<void> {
  const { db, bank, pix, log, now } = context;
  const inCharge = new Map(shown.map((one) => [one.endToEndId, one]));
  for (const endToEndId of new Set([...inCharge.keys(), ...endToEndIds])) {
    const known = inCharge.get(endToEndId) ?? (await pix.getPix(endToEndId).catch(() => null));
    if (!known || (known.txid ?? txid) !== txid || !isSameKey(pix.key, known.key)) continue;
    const { amount, paidAt } = known;
    const unmatched = { endToEndId, bank, txid, amount, reason, paidAt, receivedAt: now() };
    const isNew = await inTransaction(db, async (trx) => {
      const onRecord = await idsOnRecord(trx, txid);
      if (knownAs(endToEndId, onRecord) !== endToEndId) return false;
      if (!(await insertUnmatchedPix(trx, unmatched))) return false;
      await tellUnmatched(trx, context, { endToEndId, bank, amount });
      return true;
    });
    if (isNew) log.error({ endToEndId, txid, reason }, 'a Pix fits no payment');
  }
}

/**
 * Locks the charge's payment, if there is one.
 * @returns the endToEndIds on record for the charge. The bank may name them in another case
 */
async function idsOnRecord(trx: Queryable, txid: string): Promise<string[]> {
  const id = paymentIdOf(txid);
  if (id) await lockPayment(trx, id);
  return (await findPix(trx, [], [txid])).map(({ endToEndId }) => endToEndId);
}
