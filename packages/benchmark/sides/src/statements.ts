/**
 * The statements of a creation and a read, for one request each. The service creates and reads for several requests in one
 * statement (`packages/database/src/batching.ts`), and counts by triggers. A test prepares these on the service's schema.
 */
/** Parameter: hash of the token. */
export const insertStore = {
  name: 'insert-store',
  text: `with store as (
      insert into stores (id, name, max_amount, webhook_secret, created_at)
      values (uuidv7(), 'Loja', 300000, 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=', now())
      returning id
    )
    insert into tokens (id, store_id, hash, created_at) select uuidv7(), id, $1, now() from store`,
};

const token = `t.id as token_id, t.superseded_at, t.deactivated_at, t.expires_at as token_expires_at, s.id as store,
  s.name, s.active, s.fee_ppm, s.fee_fixed, s.max_amount, s.review_above, s.created_at as store_created_at`;

export const findToken = {
  name: 'find-token',
  text: `select ${token} from tokens t join stores s on s.id = t.store_id where t.hash = $1`,
};

/** Parameters: hash of the token, id of the payment. */
export const findTokenAndPayment = {
  name: 'find-token-and-payment',
  text: `select ${token}, p.id, p.store_id, p.status, p.charged, p.amount, p.fee_amount, p.liquid_value, p.fee_ppm,
      p.fee_fixed, p.observation, p.email, p.webhook_url, p.is_public, p.copy_and_paste, p.charge_state, p.charge_tries,
      p.expires_at, p.review_since, p.review_timed_out_at, p.events, p.request_id, p.created_at
    from tokens t join stores s on s.id = t.store_id left join payments p on p.id = $2 and p.store_id = s.id
    where t.hash = $1`,
};

/** Parameters: id, store, amount, observation, email, webhookUrl, code, expires at, now, event id, payload. */
export const insertPayment = {
  name: 'insert-payment',
  text: `with payment as (
      insert into payments (id, store_id, status, charged, amount, fee_amount, liquid_value, fee_ppm, fee_fixed, observation, email,
        webhook_url, is_public, copy_and_paste, charge_state, charge_try_at, expires_at, expiry_check_at, events, request_id,
        created_at)
      values ($1, $2, 'pending', $3, $3, null, null, null, null, $4, $5, $6, true, $7, 'registered', null, $8, $8, 1, null, $9)
      on conflict (id) do nothing
      returning id, store_id, status
    ), counted as (
      insert into payment_counts as c (store_id, status, shard, payments)
      select store_id, status, pg_backend_pid() % 32, 1 from payment
      on conflict (store_id, status, shard) do update set payments = c.payments + 1
    ), event as (
      insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, request_id, trace_parent,
        occurred_at)
      select $10, id, store_id, 1, 'payment.created', 'pending', $11, 'store', null, null, $9
      from payment
      returning id
    )
    insert into outbox (event_id) select id from event`,
};
