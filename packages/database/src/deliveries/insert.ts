import { type RawBuilder, sql } from 'kysely';

/**
 * The last part of a statement that inserts events: inserts the delivery of each.
 * @param events selects id, payment_id, store_id, sequence, url and request_id, and as `due` whether the delivery is
 *   due now; one that is not waits for the first attempt of the event before it
 */
export function insertDeliveries(events: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, request_id, state, next_attempt_at,
      created_at)
    select id, payment_id, store_id, sequence, url, endpoint_of(store_id, url), request_id, 'pending',
      case when due then now() end, now()
    from (${events}) events`;
}
