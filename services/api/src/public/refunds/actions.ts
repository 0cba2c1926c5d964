import { createHash } from 'node:crypto';
import type { Author } from '@payments/database/record/changes';
import { listRefunds, type Refund } from '@payments/database/refunds/refunds';
import { isId } from '@payments/domain/identifiers';
import { centavosFrom } from '@payments/domain/money';
import { type RefundView, refundView } from '@payments/domain/refunds';
import { atBankOf, type SettlementContext } from '@payments/settlement/context';
import { carryOutRefunds, type DueRefunds } from '@payments/settlement/refunds/carry-out';
import { orderRefund, RefundRefused } from '@payments/settlement/refunds/order-refund';
import type { StoreToken } from '@payments/settlement/store-token';
import type { Log, RefundContext } from '../../context.ts';
import { refusalName, rules, wrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';

/** The order of a refund, whoever asks for it; and a store's refunds by its token. */

export type RefundOfPayment = {
  paymentId: string;
  /** In reais; absent means all that is left. */
  amount?: number | null | undefined;
  /** The amount left, in centavos, when a person ordered all of it. */
  shown?: number | undefined;
  /** The stored form of the Idempotency-Key. */
  idempotencyKey?: string | undefined;
  by: Author;
  /** Given if a store's token orders it. */
  token?: StoreToken | undefined;
};

/**
 * Orders a refund of an approved or paid payment and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 400 for an amount with more than two decimals, 404 for an unknown payment
 * @throws RefundRefused, RefundKeyReused, TokenRefused
 */
export async function refundPayment(
  context: RefundContext,
  { paymentId, amount: reais, shown, idempotencyKey, by, token }: RefundOfPayment,
  log: Log,
): Promise<Refund> {
  const amount = readAmount(reais);
  // A key counts for its operation: nobody's repeated request returns what somebody else ordered.
  const ofOperation = token && idempotencyKey ? `token ${idempotencyKey}` : idempotencyKey;
  const key = ofOperation === undefined ? undefined : keyOf(ofOperation, amount, by);
  const refund = isId(paymentId)
    ? await orderRefund(context, { paymentId, amount, shown, by, token, key })
    : undefined;
  if (!refund) throw errors.paymentNotFound();
  log.info({ paymentId, refundId: refund.id, endToEndId: refund.endToEndId }, 'a refund was ordered');
  const turnOf = token?.storeId ?? turnOfPerson(by);
  beginRefunds(context, { bank: refund.bank, turnOf, limit: 1, paymentId }, log);
  return refund;
}

/**
 * @returns centavos; undefined without an amount
 * @throws ApiError 400 for more than two decimals
 */
export function readAmount(reais: number | null | undefined): number | undefined {
  if (reais === null || reais === undefined) return undefined;
  const amount = centavosFrom(reais);
  if (amount === undefined) throw wrongField('amount', rules.number);
  return amount;
}

function keyOf(key: string, amount: number | undefined, { reason }: Author) {
  const asked = JSON.stringify({ amount: amount ?? null, reason });
  return { key, requestHash: createHash('sha256').update(asked).digest() };
}

/** Refunds that a bank is to be asked for, in the turn of a store, or of the person who ordered them. */
type Begun = DueRefunds & { bank: string; turnOf: string };

/** Asks a bank at once for refunds that were just ordered. What fails, or finds too many waiting, is left to the scan. */
export function beginRefunds(
  context: RefundContext,
  { bank, turnOf, ...due }: Begun,
  log: Pick<Log, 'warn'>,
): void {
  const begin = async () => carryOutRefunds(atBankOf(context, bank), due);
  context
    .refundTurns(turnOf, begin)
    ?.catch((error: unknown) => log.warn({ err: error }, 'refunds are left to the scan'));
}

/** @returns whose turn a person's orders take: the account's or the key's; those by `ADMIN_KEY` share one */
export const turnOfPerson = ({ id }: Author): string => id ?? 'ADMIN_KEY';

type RefundByToken = RefundOfPayment & { token: StoreToken };

/**
 * Orders a refund by a store's token (Contract: refunds by a token).
 * @throws ApiError 400 for an amount with more than two decimals, 404 for another store's payment, 409 with the reason,
 * 422 if the Idempotency-Key was used for another refund of the payment
 * @throws TokenRefused
 */
export async function refundByToken(
  context: RefundContext,
  order: RefundByToken,
  log: Log,
): Promise<RefundView> {
  const { paymentId } = order;
  const refund = await refundPayment(context, order, log).catch((error: unknown) => {
    throw error instanceof RefundRefused ? asTheStoreReads(error) : error;
  });
  return refundView({ ...refund, paymentId });
}

/** The store reads few words for it; the administration's say more. */
function asTheStoreReads(error: RefundRefused): Error {
  const name = refusalName(error.refusal);
  return name ? errors[name]() : error;
}

/** @returns the payment's refunds as its store sees them, ours and the bank's, newest first */
export async function refundsOfPayment(
  { db }: Pick<SettlementContext, 'db'>,
  paymentId: string,
): Promise<RefundView[]> {
  const refunds = await listRefunds(db, paymentId);
  return refunds.reverse().map((refund) => refundView({ ...refund, paymentId }));
}
