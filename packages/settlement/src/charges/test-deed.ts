import { endTimeToPay } from '@payments/database/charges/charges';
import type { StoredPayment } from '@payments/database/payments/payments';
import { txidOf } from '@payments/domain/identifiers';
import { amountOfDeed, isTestBank, type TestDeed } from '@payments/domain/route-charge';
import type { BankSide, HeldPix } from '@payments/pix/bank-side';
import { PixRefused } from '@payments/pix/errors';
import { atBankOf, type SettlementContext } from '../context.ts';
import { Refused } from '../refusals.ts';
import { closingTime } from './expire.ts';

/** The simulated bank can't do it: there is no code yet, nothing to take back, or too many Pix came. */
export class TestDeedRefused extends Refused {
  override readonly kind = 'testDeedRefused';
}

/** A deed for a test store's payment; the amount in centavos, undefined for the deed's own. */
export type WantedDeed = { deed: TestDeed; amount: number | undefined };

/**
 * Makes the simulated bank do something with a test store's payment, as a payer or a bank would. What follows comes by
 * the bank's callback and lists, as everywhere (Contract: test stores).
 * @throws TestDeedRefused for what the bank can't do; PixUnavailable while it can't be asked
 */
export async function doAtTestBank(
  context: SettlementContext,
  payment: StoredPayment,
  { deed, amount: given }: WantedDeed,
): Promise<void> {
  const { bank, copyAndPaste: code } = payment;
  if (!payment.test || bank === null || !isTestBank(bank) || code === null) throw refusal();
  const side = atBankOf(context, bank).pix.bankSide;
  if (!side) throw refusal();
  const amount = amountOfDeed(deed, payment.charged, given);
  await act(context, { side, payment, deed, amount, code }).catch((error: unknown) => {
    throw error instanceof PixRefused && !error.aboutAccess ? refusal() : error;
  });
}

const refusal = () => new TestDeedRefused({ code: 'notAtTestBank' });

// A charge has two ends: the test bank's, and the payment's `expiresAt`, which is moved here. The bank dates a late Pix a
// second after its own end, and never before now. The payment's end is more than a second ago, so the Pix is after both.
const lateByMs = 1_001;

/** Nobody waits a day to see a late Pix: the time to pay ends now. */
async function endTime(context: SettlementContext, { id }: StoredPayment): Promise<void> {
  const expiresAt = new Date(context.now().getTime() - lateByMs);
  await endTimeToPay(context.db, id, { expiresAt, closesAt: closingTime(context, { expiresAt }) });
}

type Act = WantedDeed & { side: BankSide; payment: StoredPayment; code: string };

// Each look at a charge reads all of its Pix.
const mostPix = 20;

async function act(context: SettlementContext, { side, payment, deed, amount, code }: Act): Promise<void> {
  const known = await side.pixOf(txidOf(payment.id));
  if (deed === 'take_back') return takeBack(side, known, amount);
  const payers = deed === 'pay_twice' ? 2 : 1;
  if (known.length + payers > mostPix) throw refusal();
  if (deed === 'pay_late') await endTime(context, payment);
  await side.pay(code, { amount, late: deed === 'pay_late' });
  if (deed === 'pay_twice') await side.pay(code, { amount });
}

async function takeBack(side: BankSide, known: HeldPix[], amount: number | undefined): Promise<void> {
  const held = known.find(({ left }) => left > 0 && left >= (amount ?? 0));
  if (!held) throw refusal();
  await side.takeBack(held.endToEndId, amount);
}
