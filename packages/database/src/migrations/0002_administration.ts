import { type Kysely, sql } from 'kysely';

/** What those who run the service look for: payments by status and by e-mail, and refunds that were ordered anew. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'create index payments_by_status on payments (status, id)',
  'create index payments_by_email on payments (lower(email), id) where email is not null',

  // The refund that failed, and that this one was ordered instead of: each can be replaced once.
  'alter table refunds add column replaces text',
  `create unique index refunds_that_replace on refunds (end_to_end_id, replaces) where replaces is not null`,
];
