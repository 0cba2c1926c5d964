/**
 * What the service sends to PostgreSQL for a creation and a read, word for word, for the sides that show what is
 * left when everything around them is taken away. A test prepares them on the service's schema.
 */
export const findToken = {
  name: 'find-token',
  text: `select t.superseded_at, t.deactivated_at, t.expires_at, s.id, s.name, s.active, s.fee_ppm, s.fee_fixed,
      s.max_amount, s.review_above, s.created_at
    from tokens as t inner join stores as s on s.id = t.store_id where t.hash = $1`,
};

export const findPayment = {
  name: 'find-payment',
  text: `select id, store_id, status, amount, fee_amount, liquid_value, observation, email, webhook_url, is_public,
      copy_and_paste, charge_state, charge_tries, expires_at, review_since, events, request_id, created_at
    from payments where id = $1 and store_id = $2`,
};

/** id, store, amount, observation, email, webhookUrl, code, expires at, now, shard, event id, payload. */
export const insertPayment = {
  name: 'insert-payment',
  text: `with payment as (
      insert into payments (id, store_id, status, amount, fee_amount, liquid_value, observation, email, webhook_url,
        is_public, copy_and_paste, charge_state, charge_try_at, expires_at, expiry_check_at, events, request_id,
        created_at, updated_at)
      values ($1, $2, 'pending', $3, null, null, $4, $5, $6, true, $7, 'registered', null, $8, $8, 1, null, $9, $9)
      on conflict (id) do nothing
      returning id, store_id, status
    ), counted as (
      insert into payment_counts as c (store_id, status, shard, payments)
      select store_id, status, $10::int, 1 from payment
      on conflict (store_id, status, shard) do update set payments = c.payments + 1
    )
    insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, request_id, occurred_at,
      ledgered_at)
    select $11, id, store_id, 1, 'payment.created', 'pending', $12, 'store', null, $9,
      case when $6::text is null then $9::timestamptz end
    from payment`,
};
