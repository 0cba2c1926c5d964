const hashedColumns = (
  'id action store_id payment_id subject event_id before after author author_id ' +
  'via reason request_id address browser'
).split(' ');

/**
 * The text of an entry that its hash is over, as SQL. It names every column, has the same bytes in every session, and
 * must stay as it is: `npm run record:check` reads entries of all ages by it.
 * @param entry the name of a row of `changes`
 */
export const entryText = (entry: string): string => {
  const columns = hashedColumns.map((column) => `${entry}.${column}`);
  // A time would be written in the session's zone.
  const microseconds = `(extract(epoch from ${entry}.occurred_at) * 1000000)::bigint`;
  return `json_build_array(${[...columns, microseconds].join(', ')})::text`;
};

/**
 * The record of administrators' changes, and the chain of its hashes.
 *
 * Promise: an entry that was changed, removed, exchanged or put between others is found, also where the tables' owner
 * did it. The services' role can only add entries: it neither owns the tables nor writes a hash.
 *
 * A hash is made at the commit, by a deferred trigger. Taken earlier, the lock of the chain's end would be held for the
 * rest of a transaction that holds payments, could close a circle with their locks, and a process that hangs would
 * keep everybody from the record. At the commit a transaction waits for no other lock and for no process.
 */
export const administration = [
  // No column holds a secret. store_id is null if a change concerns all stores. subject is the id of the token,
  // delivery, refund, endpoint, account or key. event_id is the event that a status change committed.
  // author: the name of the account or key at that time; author_id is null for ADMIN_KEY.
  // address, browser: where the request came from; null where no request made the entry.
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
    address text,
    browser text,
    occurred_at timestamptz not null
  )`,
  // position: the place in the order of commits. hash: SHA-256 of the hash before it and the entry's text.
  `create table change_hashes (
    position bigint primary key,
    change_id bigint not null unique,
    hash bytea not null
  )`,
  // Nobody rewrites the record. The tables' owner can remove this; the chain then shows what was done.
  `create function refuse_change() returns trigger language plpgsql as
    $$ begin raise exception 'the record can not be changed' using errcode = '42501'; end $$`,
  `create trigger changes_stay before update or delete or truncate on changes
    for each statement execute function refuse_change()`,
  `create trigger change_hashes_stay before update or delete or truncate on change_hashes
    for each statement execute function refuse_change()`,
  // Each statement of a function sees what was committed before it: after the lock, the newest end of the chain. The
  // lock lasts until the commit is done. The primary key refuses a fork, whatever a session sees.
  `create function chain_change() returns trigger language plpgsql security definer as $$
    declare last record;
    begin
      perform pg_advisory_xact_lock(hashtextextended('payments: end of the record', 0));
      select position, hash into last from change_hashes order by position desc limit 1;
      insert into change_hashes (position, change_id, hash) values (
        coalesce(last.position, 0) + 1,
        new.id,
        sha256(coalesce(last.hash, ''::bytea) || convert_to(${entryText('new')}, 'UTF8'))
      );
      return null;
    end $$`,
  // It runs as its owner: it must find the owner's tables, and no temporary one that somebody made. Nobody may attach
  // it to another table, whose rows would enter the chain.
  `do $$ begin
    execute format('alter function chain_change() set search_path = pg_catalog, %I, pg_temp', current_schema());
  end $$`,
  'revoke execute on function chain_change() from public',
  `create constraint trigger changes_chained after insert on changes deferrable initially deferred
    for each row execute function chain_change()`,
  'create index changes_by_store on changes (store_id, id) where payment_id is null',
  'create index changes_by_payment on changes (payment_id, id) where payment_id is not null',
  'create unique index changes_by_event on changes (event_id) where event_id is not null',
  // How often an actor did something in ten minutes, until an entry tells it. last is the latest of them, as JSON.
  `create table repeated_changes (
    actor text not null,
    kind text not null,
    since timestamptz not null,
    is_anonymous boolean not null,
    times integer not null,
    last json not null,
    primary key (since, actor, kind)
  )`,
];
