import type { Queryable } from '../connection.ts';

/** A scan of one bank's lists. */
export type Cursor = { bank: string; name: string };

/** @returns how far this scan has come, or undefined before its first run */
export async function readCursor(db: Queryable, { bank, name }: Cursor): Promise<Date | undefined> {
  const cursors = db.selectFrom('cursors').select('position');
  const row = await cursors.where('bank', '=', bank).where('name', '=', name).executeTakeFirst();
  return row?.position;
}

/** Advances a scan's cursor. It only moves forward, so two scanners can't undo each other's progress. */
export async function advanceCursor(db: Queryable, { bank, name }: Cursor, position: Date): Promise<void> {
  await db
    .insertInto('cursors')
    .values({ bank, name, position })
    .onConflict((oc) =>
      oc.columns(['bank', 'name']).doUpdateSet({ position }).where('cursors.position', '<', position),
    )
    .execute();
}
