import { query } from './ground.ts';

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
      'delivered', 1, true, '[{"number": 1, "startedAt": "2026-11-24T10:00:00.000Z", "durationMs": 32,
      "statusCode": 200, "error": null, "responseExcerpt": "ok"}]', at
    from made`,
  );
  await query(databaseUrl, 'vacuum (analyze) deliveries');
}
