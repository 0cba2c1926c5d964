import { connect } from '@payments/database/connection';
import { assertSchemaCurrent, migrateToLatest, noTimeout } from '@payments/database/migrate';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { processSettings } from '@payments/runtime/settings';
import { waitForDatabase } from '@payments/service/wait-for-database';
import { Type } from '@sinclair/typebox';

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
  const db = connect(DATABASE_URL, { poolSize: 2, applicationName: 'payments-migration', ...noTimeout });
  if (process.argv.includes('--wait'))
    await waitForDatabase(() => assertSchemaCurrent(db), log, { forMigrations: true });
  else {
    const applied = await waitForDatabase(() => migrateToLatest(db), log);
    for (const migration of applied) log.info({ migration }, 'applied');
  }
  log.info('the schema is up to date');
  await db.destroy();
});
