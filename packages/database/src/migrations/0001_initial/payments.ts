/** Payments, and their search by part. */
export const payments = [
  // Folds the case of any language, whatever the database's locale.
  `create function folded(value text) returns text language sql immutable parallel safe
    return lower(value collate "und-x-icu")`,

  `create table payments (
    id uuid primary key,
    store_id uuid not null references stores,
    status text not null check (status in ('pending', 'approved', 'review', 'not_approved', 'paid',
      'withdrawal_processing', 'receipt_sent', 'rejected')),
    charged bigint not null check (charged > 0),
    amount bigint not null check (amount >= 0),
    fee_amount bigint,
    liquid_value bigint,
    fee_ppm integer,
    fee_fixed integer,
    observation text,
    email text,
    search_text text generated always as (folded(coalesce(email || chr(10) || observation, email, observation))) stored,
    webhook_url text,
    is_public boolean not null,
    bank text,
    copy_and_paste text,
    reference text,
    expires_in integer,
    charge_state text not null check (charge_state in ('unregistered', 'registered', 'cancelling', 'closed')),
    charge_try_at timestamptz,
    charge_tries integer not null default 0,
    registered_at timestamptz,
    expires_at timestamptz not null,
    expiry_check_at timestamptz not null,
    review_since timestamptz,
    review_timed_out_at timestamptz,
    approved_at timestamptz,
    received bigint,
    events integer not null,
    request_id text,
    created_at timestamptz not null
  ) with (fillfactor = 85)`,
  'create index payments_by_store on payments (store_id, id)',
  'create index payments_by_store_and_status on payments (store_id, status, id)',
  // The administration searches references of all stores, so they come first.
  `create unique index payments_by_reference on payments (reference, store_id) where reference is not null`,
  `create index payments_to_expire on payments (bank, expiry_check_at) where status = 'pending'`,
  'create index payments_charge_due on payments (bank, charge_try_at) where charge_try_at is not null',
  // An erasure finds the references and addresses that name a person.
  `create index payments_by_email_in_reference on payments using gin (folded(reference) gin_trgm_ops)
    where reference ~ '@|%(25)*40'`,
  `create index payments_by_email_in_webhook_url on payments using gin (folded(webhook_url) gin_trgm_ops)
    where webhook_url ~ '@|%(25)*40'`,
  'create index payments_by_registration on payments using brin (registered_at)',
  'create index payments_by_status on payments (status, id)',
  // A creation that sorts pending entries into the index waits for it: few at a time.
  `create index payments_by_text on payments using gin (search_text gin_trgm_ops)
    with (gin_pending_list_limit = 512) where search_text is not null`,
  'create index payments_by_approval on payments (approved_at) where approved_at is not null',
  // The id orders reviews of the same moment.
  'create index payments_in_review_order on payments (review_since, id) where review_since is not null',
  `create index payments_review_due on payments (review_since, id)
    where review_since is not null and review_timed_out_at is null`,
];
