import { recordChargeProblem } from '@payments/database/charges/problems';
import { insertUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { DatabaseUnavailable } from '@payments/database/errors';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { ReceivedPix } from '@payments/pix/client';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import type { BankContext } from './context.ts';
import { isNotAsked, messageOf } from './failures.ts';

const pauses = { firstMs: 10_000, longestMs: 15 * 60_000 };

export type WhyUnsettleable =
  | 'charge_unknown'
  | 'not_in_charge'
  | 'no_payment'
  | 'misplaced'
  | 'refused'
  | 'unreadable'
  | 'unanswered';

/** A charge that can't be settled now. It is kept, and does not stop other charges. */
export class Unsettleable extends Error {
  override readonly name = 'Unsettleable';
  readonly why: WhyUnsettleable;

  constructor(why: WhyUnsettleable, message: string) {
    super(message);
    this.why = why;
  }
}

/** While the PSP responds for other charges, its silence is this charge's failure. */
function ofThisCharge(failure: unknown, isAnswering: boolean): Unsettleable {
  if (failure instanceof Unsettleable) return failure;
  if (failure instanceof DatabaseUnavailable) throw failure;
  if (!(failure instanceof PixUnavailable)) {
    if (failure instanceof PixRefused && failure.aboutAccess && !isAnswering) throw failure;
    return new Unsettleable('refused', messageOf(failure));
  }
  if (failure.reason === 'unreadable') return new Unsettleable('unreadable', failure.message);
  if (isNotAsked(failure) || !isAnswering) throw failure;
  return new Unsettleable('unanswered', failure.message);
}

export type Told = { txid: string; endToEndIds: readonly string[] };

/** @returns the ids of these Pix, grouped by their charge's txid. A Pix without one is left out */
export function toldOf(pix: readonly ReceivedPix[]): Told[] {
  const ofCharges = pix.filter(({ txid }) => txid !== null);
  const byCharge = Map.groupBy(ofCharges, ({ txid }) => txid as string);
  return [...byCharge].map(([txid, all]) => ({ txid, endToEndIds: all.map((one) => one.endToEndId) }));
}

const fitsNone: readonly WhyUnsettleable[] = ['charge_unknown', 'not_in_charge', 'no_payment'];

/**
 * Does work on a charge. A charge that fails is set aside: it is tried again with growing pauses, and shown until it is
 * settled. A Pix that the PSP confirms, and that fits no payment, is kept as unmatched.
 * @param isAnswering whether the PSP has just responded for other charges
 * @returns how many Pix were new
 * @throws a failure that is not this charge's
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
    await setAside(context, told, ofThisCharge(error, isAnswering));
    return 0;
  }
}

async function setAside(context: BankContext, told: Told, error: Unsettleable): Promise<void> {
  const { txid, endToEndIds } = told;
  const { db, bank, log, now } = context;
  const paymentId = paymentIdOf(txid) ?? null;
  const about = { bank, txid, work: 'settle' as const, paymentId, endToEndIds };
  const tries = await recordChargeProblem(db, { ...about, error: error.message, now: now(), pauses });
  log.error({ bank, txid, paymentId, why: error.why, tries, reason: error.message }, 'charge set aside');
  if (fitsNone.includes(error.why)) await keepUnmatched(context, told, error);
}

async function keepUnmatched(
  { db, bank, pix, log, now }: BankContext,
  { txid, endToEndIds }: Told,
  { why: reason }: Unsettleable,
): Promise<void> {
  for (const endToEndId of endToEndIds) {
    const known = await pix.getPix(endToEndId).catch(() => null);
    if (!known || known.txid !== txid) continue;
    const { amount, paidAt } = known;
    const unmatched = { endToEndId, bank, txid, amount, reason, paidAt, receivedAt: now() };
    const isNew = await insertUnmatchedPix(db, unmatched);
    if (isNew) log.error({ endToEndId, txid, reason }, 'a Pix fits no payment');
  }
}
