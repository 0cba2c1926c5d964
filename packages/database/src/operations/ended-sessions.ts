import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** Ends a panel session on every replica at once, and deletes sessions that are past their own end. */
export async function endSession(
  db: Queryable,
  { id, endsAt, now }: { id: string; endsAt: Date; now: Date },
): Promise<void> {
  await sql`
    with forgotten as (delete from ended_sessions where ends_at <= ${now} and id <> ${id})
    insert into ended_sessions (id, ends_at) values (${id}, ${endsAt}) on conflict (id) do nothing`.execute(
    db,
  );
}

export async function isSessionEnded(db: Queryable, id: string): Promise<boolean> {
  const row = await db.selectFrom('ended_sessions').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}
