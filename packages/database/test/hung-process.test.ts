import { newId } from '@payments/domain/identifiers';
import { newToken, tokenHash } from '@payments/domain/tokens';
import { untilWaiting } from '@payments/testing/pause';
import { sql } from 'kysely';
import t from 'tap';
import { DatabaseUnavailable } from '../src/errors.ts';
import { rotateToken } from '../src/stores/tokens.ts';
import { addStore, openDatabase } from './rows.ts';

// Found by `npm run chaos`: a frozen dispatcher inside a transaction kept all others from inserting events.
t.test('a process that hangs inside a transaction loses it, and blocks others only briefly', async (t) => {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const { rows } = await sql`select current_setting('idle_in_transaction_session_timeout') as ends`.execute(
    db,
  );
  t.same(rows, [{ ends: '10s' }]);

  const hung = await db.startTransaction().execute();
  await sql`select from stores where id = ${storeId} for update`.execute(hung);
  const token = { id: newId(), storeId, hash: tokenHash(newToken()), createdAt: new Date(), expiresAt: null };
  const rotating = rotateToken(db, token);
  await untilWaiting(url, 1);
  await sql`set idle_in_transaction_session_timeout = '1s'`.execute(hung);
  t.equal(await rotating, true, 'the process that waited for its lock goes on');
  await t.rejects(sql`select 1`.execute(hung), DatabaseUnavailable, 'when it wakes, its work is rolled back');
  await hung
    .rollback()
    .execute()
    .catch(() => {});
});
