import { query } from '../ground.ts';
import { type Load, startLoad } from '../load/load.ts';
import { profiled } from '../profile.ts';
import type { BenchContext } from '../scenario.ts';
import type { Side } from '../side.ts';
import { startBare } from '../sides/bare.ts';
import { startOurs } from '../sides/ours.ts';
import { type PgBench, pgbenchOn } from '../sides/pgbench.ts';
import { createUsualStore, startUsualStack } from '../sides/usual-stack.ts';
import { type BenchStore, createStore } from '../stores.ts';

export type ApiSides = {
  /** Ours, the bare one, the usual stack. */
  sides: [Side, Side, Side];
  stores: { ours: BenchStore; bare: BenchStore; usual: BenchStore };
  load: Load;
  pgbench: PgBench | undefined;
};

/** Starts what answers creations and reads, each side on a database of its own, and ends it afterwards. */
export async function withSides<Result>(
  { ground, options, say }: BenchContext,
  use: (sides: ApiSides) => Promise<Result>,
): Promise<Result> {
  return profiled(options.profile, say, async (profileDir) => {
    const ours = await startOurs(ground, { name: 'bench_ours', profileDir });
    const bare = await startBare(ground);
    const usual = await startUsualStack(ground);
    const load = startLoad();
    const stores = {
      ours: await createStore(ours.databaseUrl),
      bare: await createStore(bare.databaseUrl),
      usual: await createUsualStore(usual.databaseUrl),
    };
    const pgbench = pgbenchOn(ground, bare.databaseUrl);
    try {
      return await use({ sides: [ours, bare, usual], stores, load, pgbench });
    } finally {
      await load.stop();
      for (const side of [ours, bare, usual]) {
        await side.stop();
        await ground.dropDatabase(side.database);
      }
    }
  });
}

/** @returns up to 1000 ids */
export async function paymentIds(databaseUrl: string): Promise<string[]> {
  const rows = await query<{ id: string }>(databaseUrl, 'select id from payments limit 1000');
  return rows.map(({ id }) => id);
}
