import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../sources.ts';
import type { Backing } from '../system/backing.ts';

/** An event that the stream has and the database has not, as `lost-events` shows it. */
export type LostEvent = { type: string; paymentId: string; status: string };

/** Runs the operators' program. */
export async function lostEvents({ databaseUrls, natsUrl }: Backing, since: Date): Promise<LostEvent[]> {
  const program = join(root, 'services/api/src/lost-events.ts');
  const args = ['--conditions=public-payments', program, since.toISOString()];
  const env = { ...process.env, DATABASE_URL: databaseUrls[0], NATS_URL: natsUrl };
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env,
    maxBuffer: 64 * 1_024 * 1_024,
  });
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
