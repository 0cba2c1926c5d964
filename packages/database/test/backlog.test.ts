import { sql } from 'kysely';
import t from 'tap';
import { readBacklog } from '../src/backlog.ts';
import { addPayment, addStore, openDatabase } from './rows.ts';

t.test('what is due is seen behind thousands of deliveries whose receiver is down', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const down = await addPayment(db, storeId, { webhookUrl: 'https://down.example/webhooks' });
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = 'replica'`.execute(trx);
    await sql`insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, created_at)
      select gen_random_uuid(), payment_id, store_id, sequence, url, endpoint, state, now() - interval '1 hour', created_at
      from deliveries, generate_series(1, 2_000) where payment_id = ${down}`.execute(trx);
    await sql`insert into failing_endpoints (id, store_id, url, failures, openings, failing_since, open_until)
      select distinct endpoint, store_id, url, 12, 3, now() - interval '1 day', now() + interval '1 hour'
      from deliveries`.execute(trx);
  });
  const dueSince = async () => (await readBacklog(db, { now: new Date() })).deliveriesDueSince;
  t.equal(await dueSince(), null, 'nothing that could be sent');
  await addPayment(db, storeId, { webhookUrl: 'https://up.example/webhooks' });
  t.type(await dueSince(), Date);
});
