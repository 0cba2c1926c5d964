import type { Client } from 'pg';
import { session } from '../ground.ts';
import { withoutIndexes } from './without-indexes.ts';

export type PaymentFill = {
  storeId: string;
  count: number;
  /** Whether each has a published event and a finished delivery. */
  withDeliveries?: boolean;
};

const perStatement = 1_000_000;

/**
 * Enters payments of the last month straight into the tables, counted, as if they had been created and nearly all
 * of them paid: of ten, eight are approved and one is not; the rest, and all of the last hour, are pending.
 */
export async function fillPayments(databaseUrl: string, fill: PaymentFill): Promise<void> {
  const { storeId, count, withDeliveries = false } = fill;
  await session(databaseUrl, async (client) => {
    // Foreign keys hold by construction.
    await client.query("set session_replication_role = 'replica'; set synchronous_commit = off");
    const tables = withDeliveries ? ['payments', 'events', 'deliveries'] : ['payments'];
    await withoutIndexes(client, tables, count, async () => {
      for (let first = 1; first <= count; first += perStatement) {
        const last = Math.min(count, first + perStatement - 1);
        await client.query(payments, [storeId, first, last, count]);
      }
      if (withDeliveries)
        for (const statement of [events, deliveries]) await client.query(statement, [storeId]);
    });
    await enterCounts(client, storeId);
    for (const table of [...tables, 'payment_counts']) await client.query(`vacuum (analyze) ${table}`);
  });
}

// As long as a static part, a location and a checksum are.
const code = '0'.repeat(180);

const payments = `
  insert into payments (id, store_id, status, charged, amount, observation, email, webhook_url, is_public, copy_and_paste,
    charge_state, charge_try_at, expires_at, expiry_check_at, events, created_at)
  select uuidv7(created_at - clock_timestamp()), $1::uuid, status, 1990, 1990, 'Pedido ' || n, 'cliente@example.com',
    'http://127.0.0.1:9/webhook', true, '${code}', case status when 'pending' then 'registered' else 'closed' end, null,
    now() + interval '1 day', now() + interval '1 day', 1, created_at
  from (
    select n, created_at, case when n % 10 = 0 or created_at > now() - interval '1 hour' then 'pending'
      when n % 10 = 1 then 'not_approved' else 'approved' end as status
    from generate_series($2::int, $3::int) n,
      lateral (select now() - interval '30 days' * (1 - n::float8 / $4::int) as created_at) at
  ) made`;

const events = `
  insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
  select uuidv7(created_at - clock_timestamp()), id, store_id, 1, 'payment.created', 'pending', '{}', 'store',
    created_at
  from payments where store_id = $1`;

const deliveries = `
  insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, attempts, attempted,
    next_attempt_at, created_at)
  select id, payment_id, store_id, 1, 'http://127.0.0.1:9/webhook',
    endpoint_of(store_id, 'http://127.0.0.1:9/webhook'), 'delivered', 1, true, null, occurred_at
  from events where store_id = $1`;

async function enterCounts(client: Client, storeId: string): Promise<void> {
  await client.query('delete from payment_counts where store_id = $1', [storeId]);
  const counts = `insert into payment_counts (store_id, status, shard, payments)
    select store_id, status, 0, count(*) from payments where store_id = $1 group by store_id, status`;
  await client.query(counts, [storeId]);
}
