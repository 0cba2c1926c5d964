import type { Sql } from './sql.ts';

export type Backlog = {
  storeId: string;
  /** `{n}` in it is the number of the delivery, from 1. */
  url: string;
  count: number;
  /** The age of the first one, an interval; the others follow it. */
  age?: string;
  state?: 'pending' | 'delivered' | 'dead';
};

/** Inserts old payments with their first event and its delivery. */
export async function insertBacklog(sql: Sql, backlog: Backlog): Promise<void> {
  const { storeId, url, count, age = '1 hour', state = 'pending' } = backlog;
  await sql(
    `with made as (
      select ('0' || substr(lpad(to_hex((extract(epoch from now() - $4::interval) * 1000)::bigint), 12, '0'), 2, 7)
        || '-' || right(lpad(to_hex((extract(epoch from now() - $4::interval) * 1000)::bigint), 12, '0'), 4)
        || '-7' || substr(md5(random()::text), 1, 3) || '-8' || substr(md5(random()::text), 1, 3)
        || '-' || substr(md5(random()::text), 1, 12))::uuid as id, replace($2, '{n}', n::text) as url
      from generate_series(1, $3) n
    ), payment as (
      insert into payments (id, store_id, status, charged, amount, is_public, webhook_url, copy_and_paste, charge_state,
        expires_at, expiry_check_at, events, created_at)
      select id, $1, 'approved', 1000, 1000, true, url, 'code', 'closed', now() + interval '1 year',
        now() + interval '1 year', 1, now() from made
    ), event as (
      insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
      select id, id, $1, 1, 'payment.created', 'pending', json_build_object('id', id), 'store',
        now() - $4::interval from made
    )
    insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, attempted, next_attempt_at,
      created_at)
    select id, id, $1, 1, url, endpoint_of($1, url), $5, $5 <> 'pending',
      case when $5 = 'pending' then now() - $4::interval end, now() - $4::interval
    from made`,
    [storeId, url, count, age, state],
  );
}
