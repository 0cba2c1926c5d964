import type { Database } from '@payments/database/connection';
import { changeStatus } from '@payments/database/payments/changes';
import { insertPayment } from '@payments/database/payments/creation';
import { listPayments } from '@payments/database/payments/list';
import { findForPayer } from '@payments/database/payments/payer-pages';
import { findByReference, findPayment } from '@payments/database/payments/payments';
import { readPaymentsAfter, searchPayments } from '@payments/database/payments/search';
import { newId } from '@payments/domain/identifiers';
import { type Payment, paymentView } from '@payments/domain/payment';

export type Filled = { storeId: string /** Some of the payments, from all times. */; ids: readonly string[] };

/** @returns the statements of payments, each by a function that runs it with other values each time */
export function statementsOf(
  db: Database,
  { storeId, ids }: Filled,
): [what: string, run: () => Promise<unknown>][] {
  let turn = 0;
  const id = () => ids[turn++ % ids.length] as string;
  const page = { page: 1, limit: 20 };
  const created: string[] = [];
  return [
    ['create a payment', async () => created.push(await create(db, storeId))],
    ['approve it', () => approve(db, created.pop() as string)],
    ['a payment by its id', () => findPayment(db, id())],
    ['by its reference', () => findByReference(db, storeId, id())],
    ['what its payer sees', () => findForPayer(db, id())],
    ['a store’s first page, total', () => listPayments(db, { storeId }, page)],
    ['its page 1,000', () => listPayments(db, { storeId }, { ...page, page: 1_000 })],
    ['its page behind a payment', () => listPayments(db, { storeId, after: id() }, page)],
    ['its pending payments', () => listPayments(db, { storeId, status: 'pending' }, page)],
    ['its newest day', () => listPayments(db, { storeId, since: new Date(Date.now() - 86_400_000) }, page)],
    ['search by id', () => searchPayments(db, { q: id() }, page)],
    [
      '100 rows of an export',
      async () => readPaymentsAfter(db, {}, { after: await findPayment(db, id()), limit: 100 }),
    ],
  ];
}

const view = (payment: Payment) => paymentView(payment, 'http://payments.example.com');

async function create(db: Database, storeId: string): Promise<string> {
  const createdAt = new Date();
  const [id, expiresAt] = [newId(), new Date(createdAt.getTime() + 86_400_000)];
  const payment: Payment = {
    id,
    storeId,
    status: 'pending',
    amount: 1_990,
    feeAmount: null,
    liquidValue: null,
    observation: 'Pedido',
    email: 'cliente@example.com',
    webhookUrl: 'https://store.example.com/webhook',
    isPublic: true,
    copyAndPaste: 'code',
    reference: id,
    expiresIn: null,
    description: null,
    createdAt,
  };
  const rest = { bank: 'default', closeAt: expiresAt, by: null, requestId: null };
  const feeTerms = { ppm: null, fixed: null };
  await insertPayment(db, { payment, test: false, view: view(payment), feeTerms, expiresAt, ...rest });
  return id;
}

async function approve(db: Database, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const payment = await findPayment(trx, id);
    if (!payment) throw new Error(`there is no payment ${id}`);
    const why = { actor: 'psp', reason: null, requestId: null };
    await changeStatus(trx, {
      payment,
      to: 'approved',
      amount: payment.charged,
      ...why,
      now: new Date(),
      view,
    });
  });
}
