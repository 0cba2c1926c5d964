import { readPausedBanks } from '@payments/database/banks/banks';
import { closeCharge, postponeCharge, recordRegistration } from '@payments/database/charges/charges';
import { endChargeProblem, recordChargeProblem } from '@payments/database/charges/problems';
import { expectUnheard, forgetUnheard } from '@payments/database/charges/unheard-charges';
import type { StoredPayment } from '@payments/database/payments/payments';
import { findStore } from '@payments/database/stores/stores';
import { type BankError, BankFailure } from '@payments/domain/bank-error';
import { createdAtOf, txidOf } from '@payments/domain/identifiers';
import { type Payment, paymentView } from '@payments/domain/payment';
import { banksOf, matching } from '@payments/domain/route-charge';
import type { Bank } from '@payments/pix/banks';
import { withDeadline, withinTime } from '@payments/pix/call';
import type { Charge } from '@payments/pix/client';
import type { PixRefused } from '@payments/pix/errors';
import { isSameKey } from '@payments/pix/keys';
import { isVerdict, nextLook, type Pauses, tryAgainAt } from '../answers.ts';
import { atBankOf, type BankContext } from '../context.ts';
import { settleSeen } from '../pix/settle-charge.ts';
import { closingTime } from './expire.ts';
import { type ChargeTerms, registerCharge } from './register-charge.ts';

// A store waits for the code: another bank gets no longer to say that it has the charge.
const holderMs = 1_000;

const registering = {
  firstMs: 1_000,
  longestMs: 30_000,
  says: 'the PSP did not take a charge; trying again',
};
const cancelling = {
  firstMs: 1_000,
  longestMs: 60 * 60_000,
  says: 'the PSP did not withdraw a charge; trying again',
};

/** Registers a payment's charge at this bank, which may take it, unless another one has it. A failure reschedules it. */
export async function registerLate(context: BankContext, payment: StoredPayment): Promise<void> {
  const register = async () => registerAt(await holderOf(context, payment), payment);
  await register().catch((error: unknown) => postpone(context, payment, error, registering));
}

/** Withdraws a cancelled payment's charge from its bank. A failure reschedules it. */
export async function withdrawCharge(context: BankContext, payment: StoredPayment): Promise<void> {
  await withdraw(context, payment).catch((error: unknown) => postpone(context, payment, error, cancelling));
}

async function postpone(
  { db, log, now, bank }: BankContext,
  { id: paymentId, chargeTries, requestId }: StoredPayment,
  error: unknown,
  { says, ...pauses }: Pauses & { says: string },
): Promise<void> {
  await postponeCharge(db, paymentId, tryAgainAt(chargeTries, now(), pauses));
  log.warn({ err: error, paymentId, bank, requestId }, says);
}

async function registerAt(context: BankContext, payment: StoredPayment): Promise<void> {
  const { db, bank, log, now } = context;
  const { id: paymentId, requestId } = payment;
  // Too late to be paid; the expiry scan closes it.
  if (payment.expiresAt <= now()) return closeCharge(db, paymentId);
  // With an Idempotency-Key, an earlier try may be older than the payment, but not than its id.
  const triedSince = createdAtOf(paymentId);
  const store = await findStore(db, payment.storeId);
  const terms = { ...payment, storeName: store?.name ?? '', triedSince };
  const asked = matching<ChargeTerms, Pick<Bank, 'id' | 'client'>>(terms, { id: bank, client: context.pix });
  // Another bank may take the payment if this process dies, or the payment may be cancelled meanwhile.
  const unheard = { paymentId, bank, askedAt: now() };
  await expectUnheard(db, [unheard]);
  const copyAndPaste = await registerCharge(asked, now(), log).catch(async (error: unknown) => {
    if (isVerdict(error)) await settleOrShow(context, paymentId, error);
    throw error;
  });
  const view = (one: Payment) => paymentView(one, context.publicUrl);
  if (!(await recordRegistration(db, paymentId, { bank, copyAndPaste, now: now(), view }))) return;
  await forgetUnheard(db, unheard);
  await endChargeProblem(db, { bank, txid: txidOf(paymentId), work: 'register' });
  log.info({ paymentId, bank, requestId }, 'charge registered');
}

/**
 * Finds the bank that has a waiting payment's charge already. A restored database may have lost its answer: the payer has
 * that code, and at another bank the Pix would be a second one.
 * @returns this bank if no other shows such a charge; one that does not respond is not waited for
 */
async function holderOf(context: BankContext, payment: StoredPayment): Promise<BankContext> {
  const { db, banks, bank } = context;
  const store = await findStore(db, payment.storeId);
  const paused = await readPausedBanks(db);
  const others = banksOf({ test: payment.test, banks: store?.banks ?? null }, banks.all()).filter(
    ({ id, client }) => id !== bank && !paused.includes(id) && client.breakers.others.state() === 'closed',
  );
  const looks = others.map(async ({ id, client }) => {
    const read = withDeadline(holderMs, (end) =>
      withinTime('getCharge', client.getCharge(txidOf(payment.id)), end),
    );
    const charge = await read.catch(() => null);
    return charge && isHeld(charge, payment) && isSameKey(client.key, charge.key) ? id : undefined;
  });
  const holder = (await Promise.all(looks)).find((id) => id !== undefined);
  return holder ? atBankOf(context, holder) : context;
}

/** It can be paid with a code that somebody may have, or was paid, also if its Pix is not shown yet. */
function isHeld({ status, amount, copyAndPaste, pix }: Charge, { charged }: StoredPayment): boolean {
  const isPaid = pix.length > 0 || status === 'CONCLUIDA';
  return isPaid || (status === 'ATIVA' && copyAndPaste !== null && amount === charged);
}

/**
 * A bank that holds a paid charge of an earlier try refuses to set it again: the payment is this bank's then. Any other
 * refusal costs the sale, so it is shown in the bank's words until the charge is registered or no longer wanted.
 */
async function settleOrShow(context: BankContext, paymentId: string, refusal: PixRefused): Promise<void> {
  const { db, bank, pix, now } = context;
  const txid = txidOf(paymentId);
  const charge = await pix.getCharge(txid);
  if (charge) await settleSeen(context, paymentId, charge);
  if (charge && charge.pix.length > 0) return;
  const about = { bank, txid, work: 'register' as const, paymentId };
  await recordChargeProblem(db, { ...about, error: refusal.stored, now: now() });
}

async function withdraw(context: BankContext, payment: StoredPayment): Promise<void> {
  const { db, bank, pix, now } = context;
  const { id } = payment;
  const txid = txidOf(id);
  const charge = await pix.cancelCharge(txid).then(
    (answer) => (isOpen(answer) ? readUncancelled(context, payment, { code: 'charge_active' }) : answer),
    (error: unknown) => {
      if (!isVerdict(error)) throw error;
      return readUncancelled(context, payment, error.stored);
    },
  );
  if (charge) await settleSeen(context, id, charge);
  if (charge?.oddPix) throw new BankFailure({ code: 'pix_unreadable' });
  if (!charge && closingTime(context, payment) > now()) {
    const lookAt = await nextLook(context, {
      paymentId: id,
      work: 'cancel',
      error: { code: 'charge_unknown' },
    });
    if (lookAt) return postponeCharge(db, id, lookAt);
  }
  await closeCharge(db, id);
  await endChargeProblem(db, { bank, txid, work: 'cancel' });
}

/** It can be paid, or was paid by a Pix that the bank does not show. */
function isOpen({ status, pix }: Charge): boolean {
  return pix.length === 0 && (status === 'ATIVA' || status === 'CONCLUIDA');
}

/**
 * Reads a charge that the PSP did not cancel, as it says: it may be paid or removed.
 * @throws if it can still be paid, and then shows that
 */
async function readUncancelled(
  context: BankContext,
  payment: StoredPayment,
  why: BankError,
): Promise<Charge | null> {
  const { db, bank, pix, now } = context;
  const { id: paymentId } = payment;
  const txid = txidOf(paymentId);
  const charge = await pix.getCharge(txid);
  const isPaidUnseen = charge?.status === 'CONCLUIDA' && charge.pix.length === 0;
  const canBePaid = charge?.status === 'ATIVA' && closingTime(context, payment) > now();
  if (!canBePaid && !isPaidUnseen) return charge;
  const error: BankError = canBePaid ? why : { code: 'paid_without_pix' };
  const about = { bank, txid, work: 'cancel' as const, paymentId, error };
  await recordChargeProblem(db, { ...about, now: now(), isShown: true });
  throw new BankFailure(error);
}
