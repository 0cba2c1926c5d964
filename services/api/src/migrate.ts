import { connect, type Database } from '@payments/database/connection';
import { assertSchemaCurrent, migrateToLatest, noTimeout } from '@payments/database/migrate';
import { grantToServices, RoleMissing } from '@payments/database/services-role';
import { ConfigurationError, readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { databaseSettings, processSettings } from '@payments/runtime/settings';
import { waitForDatabase } from '@payments/startup/wait-for-database';
import { Type } from '@sinclair/typebox';

const migrationSettings = Type.Object({
  ...databaseSettings,
  LOG_LEVEL: processSettings.LOG_LEVEL,
  SERVICES_ROLE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "The migration's alone: PostgreSQL's role of the services, which gets the rights that they need",
    }),
  ),
});

/**
 * The migration process: waits for the database, applies the missing migrations and ends.
 * With `--wait` it changes nothing and ends when another process has applied them.
 */
main('migration', async () => {
  // As PID 1 of a container, the process must handle signals itself. PostgreSQL rolls back an open transaction.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  const { DATABASE_URL, LOG_LEVEL, SERVICES_ROLE } = readEnvironment(migrationSettings, process.env);
  const log = createLogger('migration', LOG_LEVEL);
  const db = connect(DATABASE_URL, { poolSize: 2, applicationName: 'payments-migration', ...noTimeout });
  if (process.argv.includes('--wait'))
    await waitForDatabase(() => assertSchemaCurrent(db), log, { forMigrations: true });
  else {
    const applied = await waitForDatabase(() => migrateToLatest(db), log);
    for (const migration of applied) log.info({ migration }, 'applied');
    if (SERVICES_ROLE !== undefined) await grant(db, SERVICES_ROLE);
  }
  log.info('the schema is up to date');
  await db.destroy();
});

/** @throws ConfigurationError if there is no such role */
async function grant(db: Database, role: string): Promise<void> {
  await grantToServices(db, role).catch((error: unknown) => {
    throw error instanceof RoleMissing ? new ConfigurationError(`SERVICES_ROLE: ${error.message}`) : error;
  });
}
