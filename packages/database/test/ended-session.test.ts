import { sql } from 'kysely';
import t from 'tap';
import { openDatabase } from './rows.ts';

t.test('a connection whose session ended during its rollback is not used again', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 1 });
  const hang = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const transaction = db.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = '20ms'`.execute(trx);
    // Like a frozen process: what the server sent meanwhile is read as the response to the rollback.
    hang(200);
    throw new Error('given up');
  });
  const after = transaction.catch(() =>
    Promise.all(Array.from({ length: 5 }, () => sql`select 1 as one`.execute(db))),
  );
  await t.rejects(transaction);
  t.same(
    (await after)?.map(({ rows }) => rows),
    Array(5).fill([{ one: 1 }]),
  );
});
