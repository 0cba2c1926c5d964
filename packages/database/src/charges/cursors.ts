import type { Queryable } from '../connection.ts';

/** @returns how far this scan has come, or undefined before its first run */
export async function readCursor(db: Queryable, name: string): Promise<Date | undefined> {
  const row = await db.selectFrom('cursors').select('position').where('name', '=', name).executeTakeFirst();
  return row?.position;
}

/** Advances a scan's cursor. It only moves forward, so two scanners can't undo each other's progress. */
export async function advanceCursor(db: Queryable, name: string, position: Date): Promise<void> {
  await db
    .insertInto('cursors')
    .values({ name, position })
    .onConflict((oc) => oc.column('name').doUpdateSet({ position }).where('cursors.position', '<', position))
    .execute();
}
