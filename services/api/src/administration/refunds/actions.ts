import type { Queryable } from '@payments/database/connection';
import type { Page, Paged } from '@payments/database/filters';
import { findPayment } from '@payments/database/payments/payments';
import { type RefundFilter, type RefundOfStore, readRefundsAfter } from '@payments/database/refunds/list';
import type { Refund } from '@payments/database/refunds/refunds';
import { bankErrorText, isRefundRule, type RefundError } from '@payments/domain/bank-error';
import { isId } from '@payments/domain/identifiers';
import { isRefundable, type RefundState, refundStates } from '@payments/domain/refunds';
import { RefundRefused } from '@payments/settlement/refunds/order-refund';
import { type OnRefused, orderRetry, withdrawRefund } from '@payments/settlement/refunds/refused-refund';
import { type Actor, readStoreFilter } from '../../access/actor.ts';
import type { AdministrationContext, Log } from '../../context.ts';
import { csvAmount } from '../../http/csv.ts';
import { refusals } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { readOneOf, readRange } from '../../http/readers.ts';
import { beginRefunds, turnOfPerson } from '../../public/refunds/actions.ts';
import { readBankFilter } from '../banks/actions.ts';
import { type ExportedList, pageOnRecord, type Reading } from '../record/actions.ts';

/** Actions of people and programs on refunds (devoluções): retry, withdraw, find. Stores order them, too: `public/refunds/`. */

/** A person's decision on a refund that the bank refused. */
type Decision = OnRefused & { actor: Pick<Actor, 'storeId'> };

/**
 * Orders a refused refund anew and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 404 for an unknown refund, or another store's; RefundRefused
 */
export async function retryRefund(
  context: AdministrationContext,
  decision: Decision,
  log: Log,
): Promise<Refund> {
  const { paymentId, by } = decision;
  const refund = await decided(context, decision, orderRetry);
  log.info({ paymentId, refundId: refund.id, replaces: refund.replaces }, 'a refund was ordered anew');
  beginRefunds(context, { bank: refund.bank, turnOf: turnOfPerson(by), limit: 1, paymentId }, log);
  return refund;
}

/**
 * Withdraws a refused refund: its money stays with the store.
 * @throws ApiError 404 for an unknown refund, or another store's; RefundRefused
 */
export async function withdraw(
  context: AdministrationContext,
  decision: Decision,
  log: Log,
): Promise<Refund> {
  const { paymentId, refundId } = decision;
  const refund = await decided(context, decision, withdrawRefund);
  log.info({ paymentId, refundId }, 'a refused refund was withdrawn');
  return refund;
}

/** A store's own people decide on refunds of their payments, while these are approved or paid (Contract: roles). */
async function decided(
  context: AdministrationContext,
  { actor: { storeId }, ...decision }: Decision,
  act: typeof orderRetry,
): Promise<Refund> {
  const { paymentId } = decision;
  const payment = isId(paymentId)
    ? await findPayment(context.db, paymentId, storeId ?? undefined)
    : undefined;
  if (!payment) throw errors.refundNotFound();
  const mayDecide = storeId === null || isRefundable(payment.status);
  if (!mayDecide) throw new RefundRefused({ code: 'notRefundable', status: payment.status });
  const refund = await act(context, decision);
  if (!refund) throw errors.refundNotFound();
  return refund;
}

/**
 * Reads the filter of refunds from a query.
 * @throws ApiError 400 for the first wrong parameter
 */
export async function readRefundFilter(
  context: Pick<AdministrationContext, 'db'>,
  actor: Actor,
  query: Record<string, unknown>,
  states: readonly RefundState[] = refundStates,
): Promise<RefundFilter> {
  const { state } = query;
  return {
    ...readStoreFilter(actor, query),
    ...(await readBankFilter(context, actor, query)),
    ...readRange(query),
    ...(state === undefined ? {} : { state: readOneOf('state', state, states) }),
  };
}

/** Reads a page of refunds in its turn, and records an export by hand. */
export function refundsOnRecord<Found extends Paged<RefundOfStore>>(
  context: AdministrationContext,
  reading: Reading & { actor: Actor },
  page: Page,
  read: (db: Queryable) => Promise<Found>,
): Promise<Found> {
  return pageOnRecord(context, reading, { kind: 'refunds', page }, () =>
    context.longReads.list(reading.actor, read),
  );
}

/** @returns why a refund is not made, for the API and the CSV */
export function refundErrorText(error: RefundError): string {
  return isRefundRule(error) ? refusals[error.code] : bankErrorText(error);
}

/** @returns why money goes back: the words of who ordered it, or else the rule's name, or who ordered it */
export function reasonOfRefund({
  note,
  reason,
  tokenId,
}: Pick<Refund, 'note' | 'reason' | 'tokenId'>): string {
  return note ?? (tokenId === null ? reason : 'store');
}

/** The refunds' CSV; amounts in reais. */
export const refundExport: ExportedList<RefundOfStore, RefundFilter> = {
  kind: 'refunds',
  readAfter: readRefundsAfter,
  columns: {
    id: ({ id }) => id,
    endToEndId: ({ endToEndId }) => endToEndId,
    paymentId: ({ paymentId }) => paymentId,
    storeId: ({ storeId }) => storeId,
    bank: ({ bank }) => bank,
    state: ({ state }) => state,
    amount: ({ amount }) => csvAmount(amount),
    owedAmount: ({ owed }) => csvAmount(owed),
    origin: ({ origin }) => origin,
    reason: reasonOfRefund,
    observation: ({ observation }) => observation,
    email: ({ email }) => email,
    rtrId: ({ rtrId }) => rtrId,
    lastError: ({ lastError }) => lastError && refundErrorText(lastError),
    createdAt: ({ createdAt }) => createdAt,
    madeAt: ({ madeAt }) => madeAt,
    paidAt: ({ paidAt }) => paidAt,
  },
};
