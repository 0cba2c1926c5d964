import { newId } from '@payments/domain/identifiers';
import t from 'tap';
import { connect } from '../../src/connection.ts';
import { forgetIdempotencyKeys, reserveKey } from '../../src/payments/idempotency-keys.ts';
import { addStore, openDatabase } from '../rows.ts';

const hash = (text: string) => Buffer.from(text.padEnd(32));
const hour = 3_600_000;

t.test('forty concurrent requests with one key are bound to one payment', async (t) => {
  const { db, url } = await openDatabase(t);
  const replicas = Array.from({ length: 4 }, () => connect(url));
  t.teardown(() => Promise.all(replicas.map((replica) => replica.destroy())));
  const storeId = await addStore(db);
  const now = new Date();
  const bound = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      reserveKey(replicas[index % 4] ?? db, {
        storeId,
        key: 'k',
        requestHash: hash('a'),
        paymentId: newId(),
        now,
      }),
    ),
  );
  t.equal(new Set(bound.map(({ paymentId }) => paymentId)).size, 1);
});

t.test('the same key with another body gets the first body’s hash', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const now = new Date();
  const reserve = (body: string) =>
    reserveKey(db, { storeId, key: 'k', requestHash: hash(body), paymentId: newId(), now });
  const [one, other] = await Promise.all([reserve('a'), reserve('b')]);
  t.equal(one.paymentId, other.paymentId);
  t.ok(one.requestHash.equals(other.requestHash), 'so exactly one of the two finds its own');
});

t.test('a key belongs to its store', async (t) => {
  const { db } = await openDatabase(t);
  const [one, other] = [await addStore(db), await addStore(db)];
  const now = new Date();
  const bound = await Promise.all(
    [one, other].map((storeId) =>
      reserveKey(db, { storeId, key: 'k', requestHash: hash('a'), paymentId: newId(), now }),
    ),
  );
  t.not(bound[0]?.paymentId, bound[1]?.paymentId);
});

t.test('a key is kept for 24 hours, then free for anything', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const start = new Date('2026-01-01T00:00:00Z');
  const at = (ms: number, body = 'a') =>
    reserveKey(db, {
      storeId,
      key: 'k',
      requestHash: hash(body),
      paymentId: newId(),
      now: new Date(start.getTime() + ms),
    });
  const first = await at(0);
  t.equal((await at(24 * hour)).paymentId, first.paymentId, 'to the last moment');
  const [one, other] = await Promise.all([at(24 * hour + 1, 'b'), at(24 * hour + 1, 'b')]);
  t.not(one.paymentId, first.paymentId, 'then it is bound again');
  t.equal(one.paymentId, other.paymentId, 'once');
  t.ok(one.requestHash.equals(hash('b')));
});

t.test('only what is older than 24 hours is forgotten, a bounded number at a time', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const now = new Date();
  const reserve = (key: string, age: number) =>
    reserveKey(db, {
      storeId,
      key,
      requestHash: hash('a'),
      paymentId: newId(),
      now: new Date(now.getTime() - age),
    });
  for (const key of ['old-1', 'old-2', 'old-3']) await reserve(key, 24 * hour + 1_000);
  await reserve('young', 23 * hour);
  t.equal(await forgetIdempotencyKeys(db, now, 2), 2);
  t.equal(await forgetIdempotencyKeys(db, now, 2), 1);
  t.equal(await forgetIdempotencyKeys(db, now, 2), 0);
  const kept = await db.selectFrom('idempotencyKeys').select('key').execute();
  t.same(kept, [{ key: 'young' }]);
});

t.test(
  'concurrent keys are bound in one batch: each to its own payment, equal ones to the first',
  async (t) => {
    const { db } = await openDatabase(t);
    const [one, other] = [await addStore(db), await addStore(db)];
    const now = new Date();
    const asked = [
      { storeId: one, key: 'k', body: 'a' },
      { storeId: other, key: 'k', body: 'a' },
      { storeId: one, key: 'k', body: 'b' },
      { storeId: one, key: 'another, "{}\\', body: 'a' },
    ].map(({ body, ...rest }) => ({ ...rest, requestHash: hash(body), paymentId: newId(), now }));
    const bound = await Promise.all(asked.map((one) => reserveKey(db, one)));
    t.same(
      bound.map(({ paymentId }) => paymentId),
      [asked[0], asked[1], asked[0], asked[3]].map((first) => first?.paymentId),
    );
    t.same(bound[2]?.requestHash, hash('a'), 'the other body gets the first one’s hash');
  },
);
