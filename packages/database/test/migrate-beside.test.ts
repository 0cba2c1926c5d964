import { untilWaiting } from '@payments/testing/pause';
import { sql } from 'kysely';
import t from 'tap';
import { migrateToLatest } from '../src/migrate.ts';
import { countList } from '../src/payment-counts.ts';
import { addPayment, addStore, openDatabase } from './rows.ts';

// A release is rolled out beside the one before, which goes on creating payments while the schema changes.

t.test('late moves are counted from a migration on that waits for creations, and they for it', async (t) => {
  const { db, url } = await openDatabase(t, 6);
  const storeId = await addStore(db);
  await addPayment(db, storeId);
  for (const undo of [
    sql`alter table deliveries add constraint deliveries_payment_id_sequence_key unique (payment_id, sequence)`,
    sql`drop view all_attempts`,
    sql`alter table deliveries drop column last_number, drop column last_started_at, drop column last_duration_ms,
      drop column last_status_code, drop column last_stage, drop column last_response_excerpt`,
    sql`alter table deliveries drop column leased_until`,
    sql`drop trigger payments_count_late_move on payments`,
    sql`drop function count_late_move`,
    sql`alter table payment_counts drop column late_moves`,
    sql`delete from kysely_migration where name >= '0012_late_moves'`,
  ])
    await undo.execute(db);
  const creation = await db.startTransaction().execute();
  await sql`update payment_counts set payments = payments`.execute(creation);
  const migrating = migrateToLatest(db);
  await untilWaiting(url, 1);
  const next = addPayment(db, storeId);
  await untilWaiting(url, 2);
  await creation.commit().execute();
  t.equal((await migrating)[0], '0012_late_moves');
  await next;
  t.same(await countList(db, { storeId }), { total: 2, lateMoves: 0 });
});
