import { connect } from '@payments/database/connection';
import { migrateToLatest } from '@payments/database/migrate';

/** `npm run migrate`: brings the schema of DATABASE_URL up to date. Safe beside other migrations and services. */
const url = process.env.DATABASE_URL;
if (!url) {
  console.error(
    'DATABASE_URL is not set: it says which PostgreSQL to migrate, such as postgres://user:password@host/name',
  );
  process.exit(1);
}
const database = connect(url);
try {
  const applied = await migrateToLatest(database);
  for (const name of applied) console.log(`applied ${name}`);
  console.log(applied.length === 0 ? 'the schema is up to date' : 'the schema is now up to date');
} catch (error) {
  console.error(`not migrated: ${error instanceof Error ? error.message || String(error) : String(error)}`);
  process.exitCode = 1;
} finally {
  await database.destroy();
}
