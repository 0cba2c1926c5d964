/** The record of administrators' changes. */
export const administration = [
  // No column holds a secret. store_id is null if a change concerns all stores. subject is the id of the token,
  // delivery, refund, endpoint, account or key. event_id is the event that a status change committed.
  // author: the name of the account or key at that time; author_id is null for ADMIN_KEY.
  `create table changes (
    id bigint generated always as identity primary key,
    action text not null,
    store_id uuid,
    payment_id uuid,
    subject text,
    event_id uuid,
    before json,
    after json,
    author text,
    author_id uuid,
    via text not null,
    reason text,
    request_id text,
    occurred_at timestamptz not null
  )`,
  // Nobody rewrites the record, not even the tables' owner.
  `create function refuse_change() returns trigger language plpgsql as
    $$ begin raise exception 'the record can not be changed' using errcode = '42501'; end $$`,
  `create trigger changes_stay before update or delete or truncate on changes
    for each statement execute function refuse_change()`,
  'create index changes_by_store on changes (store_id, id) where payment_id is null',
  'create index changes_by_payment on changes (payment_id, id) where payment_id is not null',
  'create unique index changes_by_event on changes (event_id) where event_id is not null',
];
