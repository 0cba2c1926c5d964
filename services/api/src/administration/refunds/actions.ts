import { createHash } from 'node:crypto';
import { findPayment } from '@payments/database/payments/payments';
import type { Author } from '@payments/database/record/changes';
import type { RefundFilter, RefundOfStore } from '@payments/database/refunds/list';
import type { Refund } from '@payments/database/refunds/refunds';
import { bankErrorText, isRefundRule, type RefundError } from '@payments/domain/bank-error';
import { isId } from '@payments/domain/identifiers';
import { centavosFrom } from '@payments/domain/money';
import { isRefundable, type RefundState, refundStates } from '@payments/domain/refunds';
import { atBankOf } from '@payments/settlement/context';
import { carryOutRefunds, type DueRefunds } from '@payments/settlement/refunds/carry-out';
import { orderRefund, RefundRefused } from '@payments/settlement/refunds/order-refund';
import { type OnRefused, orderRetry, withdrawRefund } from '@payments/settlement/refunds/refused-refund';
import type { Actor } from '../../access/actor.ts';
import { readStoreFilter } from '../../access/own.ts';
import type { AdministrationContext, Log } from '../../context.ts';
import { type Columns, csvAmount } from '../../http/csv.ts';
import { wrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { refusals } from '../../http/errors/refusals.ts';
import { readOneOf, readRange } from '../../http/readers.ts';
import { readBankFilter } from '../banks/actions.ts';

/** Actions of people and programs on refunds (devoluções): order, retry, withdraw, find. */

export type RefundOfPayment = {
  paymentId: string;
  /** In reais; absent means all that is left. */
  amount?: number | null | undefined;
  /** What was left, in centavos, when a person ordered all of it. */
  shown?: number | undefined;
  idempotencyKey?: string | undefined;
  by: Author;
};

/**
 * Orders a refund of an approved or paid payment and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 400 for an amount with more than two decimals, 404 for an unknown payment
 * @throws RefundRefused, RefundKeyReused
 */
export async function refundPayment(
  context: AdministrationContext,
  { paymentId, amount: reais, shown, idempotencyKey, by }: RefundOfPayment,
  log: Log,
): Promise<Refund> {
  const amount = reais === null || reais === undefined ? undefined : readAmount(reais);
  const key = idempotencyKey === undefined ? undefined : keyOf(idempotencyKey, amount, by);
  const refund = isId(paymentId)
    ? await orderRefund(context, { paymentId, amount, shown, by, key })
    : undefined;
  if (!refund) throw errors.paymentNotFound();
  log.info({ paymentId, refundId: refund.id, endToEndId: refund.endToEndId }, 'a refund was ordered');
  beginRefunds(context, { bank: refund.bank, limit: 1, paymentId }, log);
  return refund;
}

function readAmount(reais: number): number {
  const amount = centavosFrom(reais);
  if (amount === undefined) throw wrongField('amount', rules.number);
  return amount;
}

function keyOf(key: string, amount: number | undefined, { reason }: Author) {
  const asked = JSON.stringify({ amount: amount ?? null, reason });
  return { key, requestHash: createHash('sha256').update(asked).digest() };
}

/** Asks a bank at once for refunds that were just ordered. What fails is left to the scan. */
export function beginRefunds(
  context: AdministrationContext,
  { bank, ...due }: DueRefunds & { bank: string },
  log: Log,
): void {
  const begin = async () => carryOutRefunds(atBankOf(context, bank), due);
  begin().catch((error: unknown) => log.warn({ err: error }, 'refunds are left to the scan'));
}

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
  const { paymentId } = decision;
  const refund = await decided(context, decision, orderRetry);
  log.info({ paymentId, refundId: refund.id, replaces: refund.replaces }, 'a refund was ordered anew');
  beginRefunds(context, { bank: refund.bank, limit: 1, paymentId }, log);
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
export function readRefundFilter(
  context: Pick<AdministrationContext, 'banks'>,
  actor: Actor,
  query: Record<string, unknown>,
  states: readonly RefundState[] = refundStates,
): RefundFilter {
  const { state } = query;
  return {
    ...readStoreFilter(actor, query),
    ...readBankFilter(context, query),
    ...readRange(query),
    ...(state === undefined ? {} : { state: readOneOf('state', state, states) }),
  };
}

/** @returns why a refund is not made, for the API and the CSV */
export function refundErrorText(error: RefundError): string {
  return isRefundRule(error) ? refusals[error.code] : bankErrorText(error);
}

/** The columns of the refunds' CSV; amounts in reais. */
export const refundCsv: Columns<RefundOfStore> = {
  id: ({ id }) => id,
  endToEndId: ({ endToEndId }) => endToEndId,
  paymentId: ({ paymentId }) => paymentId,
  storeId: ({ storeId }) => storeId,
  bank: ({ bank }) => bank,
  state: ({ state }) => state,
  amount: ({ amount }) => csvAmount(amount),
  owedAmount: ({ owed }) => csvAmount(owed),
  origin: ({ origin }) => origin,
  reason: ({ note, reason }) => note ?? reason,
  observation: ({ observation }) => observation,
  email: ({ email }) => email,
  rtrId: ({ rtrId }) => rtrId,
  lastError: ({ lastError }) => lastError && refundErrorText(lastError),
  createdAt: ({ createdAt }) => createdAt,
  madeAt: ({ madeAt }) => madeAt,
};
