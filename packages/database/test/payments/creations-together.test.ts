import { newId } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import t from 'tap';
import { countPayments } from '../../src/payments/counts.ts';
import type { NewPayment } from '../../src/payments/creation.ts';
import { insertPayment } from '../../src/payments/creation.ts';
import { reserveKey } from '../../src/payments/idempotency-keys.ts';
import { findPayment } from '../../src/payments/payments.ts';
import { addStore, creation, eventsOf, openDatabase } from '../rows.ts';

t.test('payments of one batch are each written whole', async (t) => {
  const { db } = await openDatabase(t);
  const stores = [await addStore(db), await addStore(db)] as const;
  const texts = ['"{,}\\ \' NULL', '', 'açaí — 🥥', null];
  const creations = texts.flatMap((observation, index) =>
    stores.map((storeId) => ({
      ...creation(storeId, {
        observation,
        email: observation === null ? 'a@b.example' : null,
        webhookUrl: index % 2 ? 'https://loja.example/w?a={1,2}' : null,
        copyAndPaste: index === 0 ? null : '000201',
        amount: 100 + index,
        feeAmount: index || null,
        liquidValue: index ? 100 : null,
      }),
      requestId: newId(),
    })),
  );
  const write = (one: NewPayment) => insertPayment(db, one);
  t.same(new Set(await Promise.all(creations.map(write))), new Set([true]));
  for (const { payment, requestId } of creations) {
    const stored = await findPayment(db, payment.id);
    t.match(stored, { ...payment, requestId, events: 1 });
    t.equal(stored?.chargeState, payment.copyAndPaste ? 'registered' : 'unregistered');
    const event = await db
      .selectFrom('events')
      .select(['payload', 'id', 'requestId', 'type', 'sequence'])
      .where('paymentId', '=', payment.id)
      .executeTakeFirstOrThrow();
    t.match(event, { requestId, type: 'payment.created', sequence: 1 });
    t.match(event.payload, { id: payment.id, observation: payment.observation });
    const deliveries = await db.selectFrom('deliveries').select('url').where('id', '=', event.id).execute();
    t.same(
      deliveries,
      payment.webhookUrl ? [{ url: payment.webhookUrl }] : [],
      'its delivery is written with it',
    );
  }
  for (const storeId of stores)
    t.equal(await countPayments(db, { storeId, status: 'pending' }), texts.length);
  const left = await db.selectFrom('outbox').select('eventId').execute();
  t.equal(left.length, creations.length, 'each event waits to be published');
});

t.test('a store whose row stays locked keeps no other store from selling', async (t) => {
  // As patient as in production.
  const { db } = await openDatabase(t, { patienceMs: undefined });
  const [locked, other] = [await addStore(db), await addStore(db)];
  const write = (storeId: string) => insertPayment(db, creation(storeId));
  const reserve = async (storeId: string) => {
    const reservation = { storeId, key: newId(), requestHash: Buffer.alloc(32), paymentId: newId() };
    return (await reserveKey(db, { ...reservation, now: new Date() })).paymentId === reservation.paymentId;
  };
  const sell = () =>
    Promise.allSettled([locked, other, locked, other].flatMap((id) => [write(id), reserve(id)]));
  const outcomes = await db.transaction().execute(async (trx) => {
    await sql`select from stores where id = ${locked} for update`.execute(trx);
    return sell();
  });
  const refused = { status: 'rejected', reason: { name: 'DatabaseUnavailable', cause: { code: '55P03' } } };
  const made = { status: 'fulfilled', value: true };
  t.match(outcomes, [refused, refused, made, made, refused, refused, made, made]);
  t.match(await sell(), Array(8).fill(made), 'then it sells, too');
  t.equal(await countPayments(db, { storeId: locked }), 2, 'and what was refused was not written');
});

t.test('of two payments with one id in one batch the first is written, once', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const write = (one: NewPayment) => insertPayment(db, one);
  const id = newId();
  const same = [creation(storeId, { id, amount: 100 }), creation(storeId, { id, amount: 200 })];
  t.same(await Promise.all([...same, creation(storeId)].map(write)), [true, false, true]);
  t.equal((await findPayment(db, id))?.amount, 100);
  t.equal((await eventsOf(db, id)).length, 1);
  t.equal(await countPayments(db, { storeId }), 2);
  t.same(await Promise.all(same.map(write)), [false, false], 'an existing payment is not written again');
});

t.test(
  'of two payments with one reference in one batch, one is written; in different orders, too',
  async (t) => {
    const { db } = await openDatabase(t);
    const stores = [await addStore(db), await addStore(db)];
    const references = Array.from({ length: 20 }, (_, n) => `pedido ${n}`);
    const one = (storeId: string, reference: string) => creation(storeId, { reference });
    const orders = [references, references.toReversed(), references, references.toReversed()];
    const written = await Promise.all(
      orders.flatMap((names) =>
        stores.flatMap((storeId) => names.map((name) => insertPayment(db, one(storeId, name)))),
      ),
    );
    t.equal(written.filter(Boolean).length, 40);
    for (const storeId of stores) t.equal(await countPayments(db, { storeId }), 20);
  },
);

t.test('a refused payment leaves the others of its batch unchanged', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const write = (one: NewPayment) => insertPayment(db, one);
  const outcomes = await Promise.allSettled(
    [creation(storeId), creation(storeId, { amount: -1 }), creation(storeId)].map(write),
  );
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.equal(await countPayments(db, { storeId }), 2);
});

t.test('a creation writes each field of its payment', async (t) => {
  const { db } = await openDatabase(t);
  const given = creation(await addStore(db), {
    ...{ feeAmount: 10, liquidValue: 990, observation: 'Pedido 7', email: 'ana@example.com' },
    ...{ reference: 'pedido-7', expiresIn: 600, description: 'Dois livros' },
  });
  for (const [name, value] of Object.entries(given.payment)) t.not(value, null, `give ${name} a value here`);
  await insertPayment(db, given);
  t.match(await findPayment(db, given.payment.id), given.payment);
});
