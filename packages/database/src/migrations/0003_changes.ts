import { type Kysely, sql } from 'kysely';

/** What administrators changed, by whom and why. Never a secret. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // store_id is null for what concerns them all; subject is the token, delivery, refund or endpoint;
  // event_id the event that a change of a payment's status committed.
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
    via text not null,
    reason text,
    request_id text,
    occurred_at timestamptz not null
  )`,
  'create index changes_by_store on changes (store_id, id) where payment_id is null',
  'create index changes_by_payment on changes (payment_id, id) where payment_id is not null',
  'create unique index changes_by_event on changes (event_id) where event_id is not null',
];
