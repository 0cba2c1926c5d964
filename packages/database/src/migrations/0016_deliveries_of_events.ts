import { type Kysely, sql } from 'kysely';

/**
 * A payment's deliveries are found through its events, whose ids and order they share: an index of their own by payment
 * and sequence was written twice for each webhook, and kept nothing right that the events' does not.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deliveries drop constraint deliveries_payment_id_sequence_key`.execute(db);
}
