import { newId } from '@payments/domain/identifiers';
import { pauseOn, untilWaiting } from '@payments/testing/pause';
import t from 'tap';
import { countPayments } from '../../src/payments/counts.ts';
import { insertPayment } from '../../src/payments/creation.ts';
import { forgetIdempotencyKeys, reserveKey } from '../../src/payments/idempotency-keys.ts';
import { addPayment, addStore, creation, eventsOf, openDatabase } from '../rows.ts';

const hash = (text: string) => Buffer.from(text.padEnd(32));

t.test('race: a request waits for another one that is binding the same key', async (t) => {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const reserve = (body: string) =>
    reserveKey(db, {
      storeId,
      key: 'k',
      requestHash: hash(body),
      paymentId: newId(),
      now: new Date(),
    });
  const pause = await pauseOn(url, 'after insert on idempotency_keys');
  const one = reserve('a');
  await pause.reached();
  const [same, another] = [reserve('a'), reserve('b')];
  await pause.waiters(2);
  await pause.end();
  const bound = await one;
  t.same(await same, bound, 'the same body gets the same payment');
  t.same(await another, bound, 'another body gets the first one’s hash, and is refused');
});

t.test('race: two requests with one key create at once: one payment, one event, counted once', async (t) => {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const id = newId();
  const pause = await pauseOn(url, 'after insert on payments');
  const one = addPayment(db, storeId, { id });
  await pause.reached();
  const other = addPayment(db, storeId, { id });
  await pause.waiters(2);
  await pause.end();
  t.same(await Promise.all([one, other]), [id, id], 'both return it');
  t.equal((await eventsOf(db, id)).length, 1);
  t.equal(await countPayments(db, { storeId }), 1);
});

t.test('race: two creations with one reference at once: one payment, one event, counted once', async (t) => {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const pause = await pauseOn(url, 'after insert on payments');
  const one = insertPayment(db, creation(storeId, { reference: 'pedido' }));
  await pause.reached();
  const other = insertPayment(db, creation(storeId, { reference: 'pedido' }));
  await pause.waiters(2);
  await pause.end();
  t.same(await Promise.all([one, other]), [true, false]);
  t.equal(await countPayments(db, { storeId }), 1);
  const events = await db.selectFrom('events').select('id').execute();
  t.equal(events.length, 1);
});

t.test('race: the first of two creations with one reference is killed: the second one creates', async (t) => {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const first = await db.startTransaction().execute();
  await insertPayment(first, creation(storeId, { reference: 'pedido' }));
  const second = insertPayment(db, creation(storeId, { reference: 'pedido' }));
  await untilWaiting(url, 1);
  await first.rollback().execute();
  t.equal(await second, true);
});

t.test('race: the first of two requests with one key is killed: the second one creates', async (t) => {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const id = newId();
  const first = await db.startTransaction().execute();
  await addPayment(first, storeId, { id });
  const second = addPayment(db, storeId, { id });
  await untilWaiting(url, 1);
  await first.rollback().execute();
  await second;
  t.equal((await eventsOf(db, id)).length, 1);
  t.equal(await countPayments(db, { storeId }), 1);
});

t.test('race: a key of yesterday is deleted while it is bound again: the new binding stays', async (t) => {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const now = new Date();
  const yesterday = new Date(now.getTime() - 25 * 3_600_000);
  const reserve = (at: Date) =>
    reserveKey(db, { storeId, key: 'k', requestHash: hash('a'), paymentId: newId(), now: at });
  await reserve(yesterday);
  const pause = await pauseOn(url, 'after update on idempotency_keys');
  const binding = reserve(now);
  await pause.reached();
  t.equal(await forgetIdempotencyKeys(db, now, 10), 0, 'a key that is being bound is skipped');
  await pause.end();
  const bound = await binding;
  t.equal(await forgetIdempotencyKeys(db, now, 10), 0);
  t.same(await reserve(now), bound);
});
