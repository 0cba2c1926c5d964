import { newId } from '@payments/domain/identifiers';
import { type Payment, paymentView } from '@payments/domain/payment';
import type { PaymentStatus } from '@payments/domain/status';
import { createTestDatabase } from '@payments/testing/database';
import { patienceMs } from '@payments/testing/patience';
import { type ConnectionOptions, connect, type Database, type Queryable } from '../src/connection.ts';
import { changeStatus, updatePayment } from '../src/payments/changes.ts';
import type { NewPayment } from '../src/payments/creation.ts';
import { insertPayment } from '../src/payments/creation.ts';
import { lockPayment, type StoredPayment } from '../src/payments/payments.ts';
import type { Author } from '../src/record/changes.ts';
import { insertStore } from '../src/stores/stores.ts';

export type OpenDatabase = { db: Database; url: string };

/**
 * An empty database and a pool on it; both are removed when the test ends. By default its requests wait as long as
 * a test does: a race that a slow machine holds open for longer than production's second is no failure.
 */
export async function openDatabase(
  t: { teardown(end: () => Promise<void>): void },
  options: ConnectionOptions = {},
): Promise<OpenDatabase> {
  const { url, drop } = await createTestDatabase();
  const db = connect(url, { patienceMs, ...options });
  t.teardown(async () => {
    await db.destroy();
    await drop();
  });
  return { db, url };
}

export const somebody: Author = { name: null, via: 'api', reason: null, requestId: null };
export const view = (payment: Payment) => paymentView(payment, 'http://payments.example.com');

export async function addStore(db: Queryable): Promise<string> {
  const id = newId();
  const store = {
    id,
    name: 'Loja',
    feePpm: null,
    feeFixed: null,
    maxAmount: 300_000,
    reviewAbove: null,
    banks: null,
  };
  const rest = { webhookSecret: 'whsec_c2VjcmV0', createdAt: new Date() };
  await insertStore(db, { ...store, ...rest });
  return id;
}

/** @returns a pending payment of 10 reais with its `payment.created` */
export function creation(storeId: string, fields: Partial<Payment> = {}): NewPayment {
  const payment: Payment = {
    id: newId(),
    storeId,
    status: 'pending',
    amount: 1_000,
    feeAmount: null,
    liquidValue: null,
    observation: null,
    email: null,
    webhookUrl: 'https://store.example.com/webhook',
    isPublic: true,
    copyAndPaste: '000201',
    reference: null,
    expiresIn: null,
    description: null,
    createdAt: new Date(),
    ...fields,
  };
  const expiresAt = new Date(payment.createdAt.getTime() + 86_400_000);
  const feeTerms = { ppm: null, fixed: null };
  const rest = { bank: 'default', closeAt: expiresAt, by: null, requestId: 'request-1' };
  return { payment, test: false, view: view(payment), feeTerms, expiresAt, ...rest };
}

/**
 * Creates a payment.
 * @returns its id
 */
export async function addPayment(
  db: Queryable,
  storeId: string,
  fields: Partial<Payment> = {},
): Promise<string> {
  const created = creation(storeId, fields);
  await insertPayment(db, created);
  return created.payment.id;
}

/** Moves a payment as the domain would, without its checks. */
export async function move(
  db: Queryable,
  paymentId: string,
  to: PaymentStatus,
  seen?: StoredPayment,
): Promise<void> {
  await db.transaction().execute((trx) => moveWithin(trx, paymentId, to, seen));
}

/** Does the same in an open transaction. */
export async function moveWithin(
  trx: Queryable,
  paymentId: string,
  to: PaymentStatus,
  seen?: StoredPayment,
): Promise<void> {
  const payment = seen ?? (await lockPayment(trx, paymentId))!;
  const why = { actor: 'test', reason: null, requestId: null };
  await changeStatus(trx, { payment, to, amount: payment.charged, ...why, now: new Date(), view });
}

/** @returns the ids of a payment's events, oldest first */
export async function eventsOf(db: Queryable, paymentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('id')
    .where('paymentId', '=', paymentId)
    .orderBy('sequence')
    .execute();
  return rows.map(({ id }) => id);
}

/** Sets a locked payment's amount, as a return of its money does. */
export function setAmount(trx: Queryable, payment: StoredPayment, amount: number): Promise<StoredPayment> {
  const cause = { actor: 'refund', requestId: null, now: new Date() };
  return updatePayment(trx, { payment, changed: { amount }, ...cause, view });
}
