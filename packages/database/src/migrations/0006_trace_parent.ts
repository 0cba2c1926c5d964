import { type Kysely, sql } from 'kysely';

/** The W3C `traceparent` of what caused an event, so that its trace goes on where a process ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table events add column trace_parent text`.execute(db);
}
