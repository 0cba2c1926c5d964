import { clockSkewMs } from '@payments/domain/paid-in-time';
import type { Queryable } from './connection.ts';

/** A scan of one bank's lists. */
export type Cursor = { bank: string; name: string };

/**
 * @param now with it, a cursor in the future counts as none: a wrong clock wrote it, and nobody knows how far the scan came
 * @returns how far this scan has come, or undefined before its first run
 */
export async function readCursor(
  db: Queryable,
  { bank, name }: Cursor,
  now?: Date,
): Promise<Date | undefined> {
  const cursors = db.selectFrom('cursors').select('position');
  const row = await cursors.where('bank', '=', bank).where('name', '=', name).executeTakeFirst();
  return now && row && row.position > future(now) ? undefined : row?.position;
}

/** @returns the scans of a bank's lists that have come to `since`, by their names; none that a wrong clock wrote */
export async function listCursorsSince(
  db: Queryable,
  bank: string,
  { since, now }: { since: Date; now: Date },
): Promise<Set<string>> {
  const cursors = db.selectFrom('cursors').select('name').where('bank', '=', bank);
  const reached = cursors.where('position', '>', since).where('position', '<=', future(now));
  return new Set((await reached.execute()).map(({ name }) => name));
}

/**
 * Advances a scan's cursor. It only moves forward, so two scanners can't undo each other's progress.
 * @param now with it, the cursor moves back from the future
 */
export async function advanceCursor(
  db: Queryable,
  { bank, name }: Cursor,
  position: Date,
  now?: Date,
): Promise<void> {
  await db
    .insertInto('cursors')
    .values({ bank, name, position })
    .onConflict((oc) =>
      oc
        .columns(['bank', 'name'])
        .doUpdateSet({ position })
        .where((eb) =>
          eb.or([
            eb('cursors.position', '<', position),
            ...(now ? [eb('cursors.position', '>', future(now))] : []),
          ]),
        ),
    )
    .execute();
}

/** @returns the first moment that no right clock shows now */
const future = (now: Date) => new Date(now.getTime() + clockSkewMs);

/**
 * Takes a scan's turn, which one of all replicas has in each interval.
 * @returns false if it is another's: one was taken after `since`
 */
export async function takeTurn(
  db: Queryable,
  { bank, name }: Cursor,
  { now, since }: { now: Date; since: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('cursors')
    .values({ bank, name, position: now })
    .onConflict((oc) =>
      oc
        .columns(['bank', 'name'])
        .doUpdateSet({ position: now })
        // A replica whose clock was ahead may be gone.
        .where((eb) => eb.or([eb('cursors.position', '<=', since), eb('cursors.position', '>', now)])),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
