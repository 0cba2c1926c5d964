import { query } from '@payments/testing/sessions';

// As long as a static part, a location and a checksum.
const code = '0'.repeat(180);

/**
 * Inserts payments of the last days, a month by default, straight into the tables. Of ten, eight are approved, one is not approved, and one
 * is pending.
 * @param databaseUrl a database with the service's schema and one store
 */
export async function fillPayments(databaseUrl: string, count: number, days = 30): Promise<void> {
  await query(
    databaseUrl,
    // The references are valid, so PostgreSQL need not check them a million times.
    `set session_replication_role = 'replica';
    insert into payments (id, store_id, status, charged, amount, observation, email, is_public, copy_and_paste,
      charge_state, charge_try_at, expires_at, expiry_check_at, events, bank, approved_at, received, created_at)
    select uuidv7(made.created_at - clock_timestamp()), s.id, status, 1990, 1990, 'Pedido ' || n, 'cliente@example.com',
      true, '${code}', case status when 'pending' then 'registered' else 'closed' end, null,
      now() + interval '1 day', now() + interval '1 day', 1, 'default',
      case status when 'approved' then made.created_at + interval '1 minute' end,
      case status when 'approved' then 1990 end, made.created_at
    from stores s, lateral (
      select n, now() - interval '${days} days' * (1 - n::float8 / ${count}) as created_at,
        case n % 10 when 0 then 'pending' when 1 then 'not_approved' else 'approved' end as status
      from generate_series(1, ${count}) n) made;
    insert into payment_counts (store_id, status, shard, payments)
      select store_id, status, 0, count(*) from payments group by store_id, status`,
  );
  await settle(databaseUrl);
}

/**
 * Inserts a month of delivered webhooks, with their events and one attempt each, straight into the tables.
 * @param databaseUrl a database with the service's schema and one store
 * @param daysAgo when the month ended
 */
export async function fillDeliveries(databaseUrl: string, count: number, daysAgo: number): Promise<void> {
  await query(
    databaseUrl,
    // Without payments: retention does not read them.
    `set session_replication_role = 'replica';
    with made as materialized (
      select uuidv7(at - clock_timestamp()) as id, at, s.id as store_id from stores s, lateral (
        select now() - interval '1 day' * (${daysAgo} + 30 * n::float8 / ${count}) as at from generate_series(1, ${count}) n
      ) times
    ), event as (
      insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
      select id, id, store_id, 1, 'payment.created', 'pending', json_build_object('text', repeat('x', 600)), 'store', at
      from made
    )
    insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, attempts, attempted, attempt_log,
      created_at)
    select id, id, store_id, 1, 'https://loja.example/webhooks', endpoint_of(store_id, 'https://loja.example/webhooks'),
      'delivered', 1, true, jsonb_build_array(jsonb_build_object('number', 1, 'startedAt', at, 'durationMs', 32,
      'statusCode', 200, 'error', null, 'responseExcerpt', 'ok')), at
    from made`,
  );
  await settle(databaseUrl);
}

/**
 * Runs at once what PostgreSQL would do in the background after many rows were written: vacuum, statistics and a
 * checkpoint. A scenario would otherwise measure that too.
 */
export async function settle(databaseUrl: string): Promise<void> {
  for (const statement of ['vacuum (analyze)', 'checkpoint']) await query(databaseUrl, statement);
}
