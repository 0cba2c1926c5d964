import { randomBytes, randomUUID } from 'node:crypto';
import { createTestDatabase } from '@payments/testing/database';
import { untilWaiting } from '@payments/testing/pause';
import t from 'tap';
import { insertAccount } from '../../src/accounts/accounts.ts';
import { insertPasskey } from '../../src/accounts/passkeys.ts';
import { insertSession } from '../../src/accounts/sessions.ts';
import { connect } from '../../src/connection.ts';

/** Sign-ins that are under way while their account changes. */
const { url, drop } = await createTestDatabase();
const db = connect(url);
t.teardown(async () => {
  await db.destroy();
  await drop();
});

const createdAt = new Date('2026-11-24T12:00:00Z');
const id = randomUUID();
const judged = { id, password: null, totpSecret: null };
await insertAccount(db, {
  id,
  name: 'Ana',
  email: 'ana@example.com',
  role: 'viewer',
  storeId: null,
  invitationHash: Buffer.from('link'),
  invitationUntil: createdAt,
  createdAt,
});

const signIn = (hadNoPasskey: boolean) => {
  const hash = Buffer.from(randomUUID());
  const expiresAt = new Date('2026-11-24T20:00:00Z');
  const session = {
    id: randomUUID(),
    hash,
    accountId: id,
    complete: true,
    address: '127.0.0.1',
    browser: null,
  };
  return insertSession(db, { ...session, createdAt, expiresAt }, { ...judged, hadNoPasskey });
};

t.test('a passkey that is added beside a sign-in with the password alone', async (t) => {
  t.equal(await signIn(true), true, 'before it');
  const passkey = {
    id: 'one',
    accountId: id,
    publicKey: Buffer.from('key'),
    counter: 0,
    name: 'Chrome',
    createdAt,
  };
  let beside: Promise<boolean> | undefined;
  await db.transaction().execute(async (trx) => {
    t.same(await insertPasskey(trx, passkey), { isFirstFactor: true });
    beside = signIn(true);
    await untilWaiting(url, 1);
  });
  t.equal(await beside, false, 'it is judged again');
  t.equal(await signIn(true), false, 'after it');
  t.equal(await signIn(false), true, 'by a passkey');
  t.same(await insertPasskey(db, { ...passkey, id: 'two' }), { isFirstFactor: false });
  t.equal(await insertPasskey(db, passkey), undefined, 'known');
  for (let n = 3; n <= 20; n += 1)
    t.same(await insertPasskey(db, { ...passkey, id: `${n}` }), { isFirstFactor: false });
  t.equal(await insertPasskey(db, passkey), undefined, 'known, also beside 19 others');
  t.equal(await insertPasskey(db, { ...passkey, id: '21' }), 'full');
});

t.test('the oldest session of an account ends when a 51st begins, and none by half a sign-in', async (t) => {
  const begin = (of: { accountId: string | null; complete: boolean }, second: number) => {
    const started = new Date(createdAt.getTime() + second * 1_000);
    const times = { createdAt: started, expiresAt: new Date(started.getTime() + 3_600_000) };
    const from = { address: '127.0.0.1', browser: null };
    return insertSession(db, { id: randomUUID(), hash: randomBytes(32), ...of, ...times, ...from });
  };
  await db.deleteFrom('sessions').execute();
  for (let second = 0; second < 52; second += 1) {
    await begin({ accountId: id, complete: true }, second);
    await begin({ accountId: id, complete: false }, second);
  }
  await begin({ accountId: null, complete: true }, 0);
  const open = async (complete: boolean) => {
    const sessions = db.selectFrom('sessions').select('createdAt').where('accountId', '=', id);
    const rows = await sessions.where('complete', '=', complete).orderBy('createdAt').execute();
    return [rows.length, rows[0]?.createdAt];
  };
  const third = new Date(createdAt.getTime() + 2_000);
  t.same(
    [await open(true), await open(false)],
    [
      [50, third],
      [50, third],
    ],
  );
  t.equal((await db.selectFrom('sessions').selectAll().where('accountId', 'is', null).execute()).length, 1);
});
