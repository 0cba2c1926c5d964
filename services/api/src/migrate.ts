import { connect } from '@payments/database/connection';
import { SchemaOutdated } from '@payments/database/errors';
import { assertSchemaCurrent, migrateToLatest, noTimeouts } from '@payments/database/migrate';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { processSettings } from '@payments/runtime/settings';
import { waitForDatabase } from '@payments/service/wait-for-database';
import { Type } from '@sinclair/typebox';

const pauseMs = 1_000;
const migrationSettings = Type.Object({
  DATABASE_URL: processSettings.DATABASE_URL,
  LOG_LEVEL: processSettings.LOG_LEVEL,
});

/**
 * The migration process: waits for the database, applies the missing migrations and ends.
 * With `--wait` it changes nothing and ends when another process has applied them.
 */
main('migration', async () => {
  // As PID 1 of a container, the process must handle signals itself. PostgreSQL rolls back an open transaction.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  const { DATABASE_URL, LOG_LEVEL } = readEnvironment(migrationSettings, process.env);
  const log = createLogger('migration', LOG_LEVEL);
  const db = connect(DATABASE_URL, { poolSize: 2, applicationName: 'payments-migration', ...noTimeouts });
  if (process.argv.includes('--wait')) await waitForDatabase(untilCurrent, log);
  else {
    const applied = await waitForDatabase(() => migrateToLatest(db), log);
    for (const migration of applied) log.info({ migration }, 'applied');
  }
  log.info('the schema is up to date');
  await db.destroy();

  async function untilCurrent(): Promise<void> {
    for (;;) {
      const outdated = await assertSchemaCurrent(db).catch(asOutdated);
      if (!outdated) return;
      log.warn({ reason: outdated.message }, 'waiting for the migrations');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
});

function asOutdated(error: unknown): SchemaOutdated {
  if (error instanceof SchemaOutdated) return error;
  throw error;
}
