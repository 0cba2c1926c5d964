import { isDeepStrictEqual } from 'node:util';
import { listPixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import type { Database } from '@payments/database/connection';
import { findPayment } from '@payments/database/payments/payments';
import { listRefunds, type Refund } from '@payments/database/refunds/refunds';
import { bankErrorText } from '@payments/domain/bank-error';
import { type PaymentReadView, type PaymentView, paymentReadView } from '@payments/domain/payment';
import { refundView } from '@payments/domain/refunds';
import type { PaymentStatus } from '@payments/domain/status';
import { centavos, type Pix, type Return, type ReturnState, reais } from './bank.ts';
import type { Ended } from './model.ts';

/** A status, with the money shown with it. */
export type Worth = { status: PaymentStatus; amount: number; fee: number | null; net: number | null };

/** The service's view of a payment. */
export type Said = Worth & {
  /** The store's events of its status, the creation first. */
  events: Worth[];
  /** In words, what a read shows and no event told. */
  untold: string[];
  /** `counts` for the Pix that approved the payment or put it in review. */
  pix: (Pix & { counts: boolean })[];
  /** Refused refunds that wait for their next order, or for a person. */
  open: Open[];
  ended: Ended[];
  problems: string[];
  /** Whether its charge waits to be settled: what the bank told of it is kept, and tried again. */
  isSetAside: boolean;
  /** The bank of its charge, and the code that customers see; null while no bank has taken it. */
  bank: string | null;
  code: string | null;
};

export type Open = { endToEndId: string; refundId: string; at: number | null; amount: number };

const stateOf: Record<Refund['state'], ReturnState> = {
  requested: 'asked',
  processing: 'under way',
  refunded: 'made',
  failed: 'refused',
};

export async function readService(db: Database, paymentId: string): Promise<Said> {
  const [payment, received, refunds, told, problems] = await Promise.all([
    findPayment(db, paymentId),
    listPixReceived(db, paymentId),
    listRefunds(db, paymentId),
    listEvents(db, paymentId),
    listChargeProblemsOf(db, paymentId),
  ]);
  const pix = received.map(({ endToEndId: id, bank, amount, counts, paidAt }) => {
    const returns = refunds.filter(({ endToEndId }) => endToEndId === id).map(returnOf);
    return { id, bank, amount, counts, paidAt: paidAt.getTime(), returns };
  });
  const view = paymentReadView(payment!, '');
  return {
    ...worthOf(view),
    events: told.filter(isOfStatus).map(({ payload }) => worthOf(payload)),
    untold: untoldOf(view, refunds, told),
    pix,
    open: openOf(refunds),
    ended: refunds
      .filter(isEnded)
      .map(({ endToEndId, id: refundId, amount }) => ({ endToEndId, refundId, amount })),
    problems: problems.map(({ error }) => bankErrorText(error)),
    isSetAside: problems.some(({ work }) => work === 'settle'),
    bank: payment!.bank,
    code: payment!.copyAndPaste,
  };
}

type View = { status: PaymentStatus; amount: number; feeAmount: number | null; liquidValue: number | null };

function worthOf({ status, amount, feeAmount, liquidValue }: View): Worth {
  const inCentavos = (value: number | null) => (value === null ? null : centavos(value));
  return { status, amount: centavos(amount), fee: inCentavos(feeAmount), net: inCentavos(liquidValue) };
}

type Told = Awaited<ReturnType<typeof listEvents>>[number];

async function listEvents(db: Database, paymentId: string) {
  const events = db.selectFrom('events').select(['type', 'payload', 'refund']);
  return events.where('paymentId', '=', paymentId).orderBy('sequence').execute();
}

const isOfStatus = ({ type }: Told) => type === 'payment.created' || type === 'payment.status_changed';

/** The last events say the same as reads: of the payment, and of each of its refunds. */
function untoldOf(view: PaymentReadView, refunds: readonly Refund[], told: readonly Told[]): string[] {
  const { payload } = told.findLast(({ refund }) => refund === null)!;
  const shown = (one: PaymentView) => `${show(worthOf(one))}, ${one.qrCopyPaste ? 'with' : 'without'} a code`;
  const [is, says] = [shown(view), shown(payload)];
  const found = is === says ? [] : [`a read shows ${is}, and the last event told ${says}`];
  for (const { paymentId, ...refund } of refunds) {
    const now = refundView({ ...refund, paymentId: view.id });
    const last = told.findLast(
      (one) => one.refund?.id === now.id && one.refund.endToEndId === now.endToEndId,
    );
    if (!isDeepStrictEqual(last?.refund, now))
      found.push(
        `refund ${now.id} is ${now.status} of ${now.amount}, and was told as ${last?.refund?.status}`,
      );
  }
  return found;
}

export function show({ status, amount, fee, net }: Worth): string {
  const fees = fee === null || net === null ? 'no fee' : `fee ${reais(fee)}, net ${reais(net)}`;
  return `${status} ${reais(amount)} (${fees})`;
}

export function returnOf({ id, origin, state, amount }: Refund): Return {
  return { id, by: origin, state: stateOf[state], amount };
}

const isEnded = ({ exact, state, wanted }: Refund) => exact && state === 'failed' && wanted === 0;

function openOf(refunds: readonly Refund[]): Open[] {
  return refunds
    .filter(({ orderAgainAt, owed }) => orderAgainAt !== null || owed !== null)
    .map(({ endToEndId, id, orderAgainAt, orderAgainAmount, owed }) => {
      const amount = owed ?? orderAgainAmount ?? 0;
      return { endToEndId, refundId: id, at: orderAgainAt?.getTime() ?? null, amount };
    });
}
