import { advanceCursor, readCursor } from '@payments/database/charges/cursors';
import type { BankContext } from '../context.ts';
import { settleListed } from '../pix/settle-listed.ts';
import { slicesOf } from './slices.ts';

const hourMs = 60 * 60_000;
const everyMs = 6 * hourMs;
const sliceMs = 4 * 24 * hourMs;
// A payer's bank may ask for a Pix back for 80 days (MED), and a refund may be made for 90.
const slices = 23;

/**
 * Finds refunds whose callback got lost, of Pix up to 92 days old. `reconcile` reads recent Pix only, and a bank may
 * take a Pix back after weeks. Each slice of these days is checked every six hours, the newest first. A failing slice
 * does not stop the others.
 * @throws the first failure, after all slices were tried
 */
export async function reconcileReturned(context: BankContext): Promise<void> {
  const failures: unknown[] = [];
  for (let age = 0; age < slices; age += 1)
    await lookAt(context, age).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function lookAt(context: BankContext, age: number): Promise<void> {
  const { db, now, bank, pix } = context;
  const at = now();
  const cursor = { bank, name: `returned-pix-${age}` };
  const last = await readCursor(db, cursor, at);
  if (last && at.getTime() - last.getTime() < everyMs) return;
  const to = new Date(at.getTime() - age * sliceMs);
  const range = { from: new Date(to.getTime() - sliceMs), to };
  for (const slice of slicesOf(range, pix.longestListMs))
    await settleListed(context, { ...slice, returned: true });
  await advanceCursor(db, cursor, at, at);
}
