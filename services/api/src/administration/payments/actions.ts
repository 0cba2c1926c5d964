import { readPausedBanks } from '@payments/database/banks/banks';
import { listPixReceived } from '@payments/database/charges/pix-received';
import { type ChargeProblem, listChargeProblemsOf } from '@payments/database/charges/problems';
import type { Queryable } from '@payments/database/connection';
import { listDeliveries, readContents } from '@payments/database/deliveries/list';
import type { Page } from '@payments/database/filters';
import { listHistory } from '@payments/database/payments/history';
import { type ListQuery, listPayments } from '@payments/database/payments/list';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import { type PaymentSearch, readPaymentsAfter, searchPayments } from '@payments/database/payments/search';
import { type PaidPayment, withPayingPix } from '@payments/database/payments/with-pix';
import { type Author, listChanges } from '@payments/database/record/changes';
import { listRefunds } from '@payments/database/refunds/refunds';
import { findStore } from '@payments/database/stores/stores';
import { inSnapshot } from '@payments/database/transaction';
import { isId, txidOf } from '@payments/domain/identifiers';
import type { PaymentCreatedView } from '@payments/domain/payment';
import { may } from '@payments/domain/roles';
import { paymentStatuses } from '@payments/domain/status';
import { type Decision, decide } from '@payments/settlement/decide';
import { type Actor, ownPayment, ownStore, readStoreFilter } from '../../access/actor.ts';
import type { AdministrationContext, Log } from '../../context.ts';
import { csvAmount } from '../../http/csv.ts';
import { errors } from '../../http/errors/errors.ts';
import { readOneOf, readRange, readSearchText } from '../../http/readers.ts';
import { createPayment, readCreation } from '../../public/payments/actions.ts';
import { amounts } from '../../public/payments/schemas.ts';
import { beginRefunds } from '../../public/refunds/actions.ts';
import { readBankFilter } from '../banks/actions.ts';
import type { ShownProblem } from '../banks/schemas.ts';
import { withAttempts } from '../deliveries/actions.ts';
import { type ExportedList, pageOnRecord, type Reading, recordSearch } from '../record/actions.ts';

/** Actions on payments, for people and programs: create for a store, decide, find, read in full. */

export type ChargeForStore = {
  /** The asking actor: a store's own people can't charge for another. */
  within: Pick<Actor, 'storeId'>;
  storeId: string;
  /** The body of a public creation, validated by the same rules. */
  body: unknown;
  idempotencyKey: string | undefined;
  by: Author;
  requestId: string;
  log: Log;
};

/**
 * Creates a payment for a store as an administrator: `isPublic` is false (Contract: creation).
 * @throws ApiError 400 for a wrong field, 404 without such a store, 403 when it is inactive, 409 for a reference of
 * another payment
 */
export async function chargeForStore(
  context: AdministrationContext,
  charge: ChargeForStore,
): Promise<PaymentCreatedView> {
  const { within, storeId, body, ...rest } = charge;
  const store = await findStore(context.db, ownStore(within, storeId));
  const maxAmount = store?.maxAmount ?? amounts.most;
  const given = { body, storeId: store?.id, maxAmount, isPublic: false, keyHash: rest.idempotencyKey };
  const request = await readCreation(context, given);
  if (!store) throw errors.storeNotFound();
  if (!store.active) throw errors.storeInactive();
  const pausedBanks = await readPausedBanks(context.db);
  return createPayment(context, { store, pausedBanks, request, ...rest });
}

const refundsAtOnce = 10;

/**
 * Changes a payment's status as an administrator decided. Its event and its refunds start at once.
 * @throws ApiError 404 without such a payment; TransitionRefused
 */
export async function decideOnPayment(
  context: AdministrationContext,
  decision: Decision,
  log: Log,
): Promise<StoredPayment> {
  const { paymentId } = decision;
  const payment = isId(paymentId) ? await decide(context, decision) : undefined;
  if (!payment) throw errors.paymentNotFound();
  const { bank, storeId: turnOf } = payment;
  if (bank !== null) beginRefunds(context, { bank, turnOf, limit: refundsAtOnce, paymentId }, log);
  return payment;
}

/**
 * Reads the search from a query.
 * @throws ApiError 400 for the first wrong parameter
 */
export async function readPaymentSearch(
  context: Pick<AdministrationContext, 'db'>,
  actor: Actor,
  query: Record<string, unknown>,
): Promise<PaymentSearch> {
  const { status, q } = query;
  return {
    ...readStoreFilter(actor, query),
    ...(status === undefined ? {} : { status: readOneOf('status', status, paymentStatuses) }),
    ...(await readBankFilter(context, actor, query)),
    ...readRange(query),
    ...(q === undefined ? {} : { q: readSearchText('q', q) }),
  };
}

/**
 * Finds a page of payments, and records a search by text and an export by hand.
 * @throws ApiError 429 for a search by text while too many wait
 */
export async function findOnRecord(
  context: AdministrationContext,
  reading: Reading & { actor: Actor },
  search: PaymentSearch,
  page: Page,
) {
  await recordSearch(context, reading);
  const find = (db: Queryable) => searchPayments(db, search, page);
  const { list, read } = context.longReads;
  return pageOnRecord(context, reading, { kind: 'payments', page }, () =>
    search.q === undefined ? list(reading.actor, find) : read(reading.actor, find),
  );
}

/** @returns the ten newest payments, of one store or of a kind of them, with the Pix that paid them */
export async function latestPayments(
  db: Queryable,
  filter: Pick<ListQuery, 'storeId' | 'test'>,
): Promise<PaidPayment[]> {
  const { items } = await listPayments(db, filter, { page: 1, limit: 10 });
  return withPayingPix(db, items);
}

/** The payments' CSV; amounts in reais. */
export const paymentExport: ExportedList<PaidPayment, PaymentSearch> = {
  kind: 'payments',
  readAfter: readPaymentsAfter,
  columns: {
    id: ({ id }) => id,
    status: ({ status }) => status,
    amount: ({ amount }) => csvAmount(amount),
    feeAmount: ({ feeAmount }) => csvAmount(feeAmount),
    liquidValue: ({ liquidValue }) => csvAmount(liquidValue),
    observation: ({ observation }) => observation,
    email: ({ email }) => email,
    storeId: ({ storeId }) => storeId,
    bank: ({ bank }) => bank,
    txid: ({ id }) => txidOf(id),
    charged: ({ charged }) => csvAmount(charged),
    createdAt: ({ createdAt }) => createdAt,
    approvedAt: ({ approvedAt }) => approvedAt,
    reference: ({ reference }) => reference,
    endToEndId: ({ paidBy }) => paidBy?.endToEndId ?? null,
    paidAt: ({ paidBy }) => paidBy?.paidAt ?? null,
  },
};

/**
 * A payment and all that an actor may know of it; amounts in centavos, lists oldest first. `contents` are the
 * webhooks' by their `webhook-id`.
 */
export type PaymentInFull = Awaited<ReturnType<typeof readInFull>>;

/**
 * Reads a payment in full, as it is at one moment.
 * @throws ApiError 404 for an unknown payment, or another store's
 */
export async function paymentInFull(
  { db }: Pick<AdministrationContext, 'db'>,
  actor: Actor,
  given: string,
): Promise<PaymentInFull> {
  const id = await ownPayment(db, actor, given);
  return inSnapshot(db, (snapshot) => readInFull(snapshot, actor, id));
}

const allOf = { page: 1, limit: 200 };

/** A bank's words about the platform's account are not for a store's people. */
function withoutError({ error: _, ...problem }: ChargeProblem): ShownProblem {
  return problem;
}

async function readInFull(snapshot: Queryable, { role }: Actor, id: string) {
  const payment = await findPayment(snapshot, id);
  if (!payment) throw errors.paymentNotFound();
  const deliveries = await listDeliveries(snapshot, { paymentId: id }, allOf);
  const mayReadChanges = may(role, 'readStoreRecord');
  const changes = mayReadChanges ? (await listChanges(snapshot, { paymentId: id }, allOf)).items : [];
  const problems = await listChargeProblemsOf(snapshot, id);
  return {
    payment,
    store: await findStore(snapshot, payment.storeId),
    history: await listHistory(snapshot, id),
    pix: await listPixReceived(snapshot, id),
    refunds: await listRefunds(snapshot, id),
    deliveries: await withAttempts(snapshot, deliveries.items.reverse()),
    contents: await readContents(snapshot, id),
    changes: changes.reverse(),
    problems: may(role, 'readProblems') ? problems : problems.map(withoutError),
  };
}
