import { readEnvironment } from '@payments/runtime/environment';
import { databaseSettings } from '@payments/runtime/settings';
import { Type } from '@sinclair/typebox';
import { migrateDatabase } from './migrate-database.ts';

/** `npm run migrate`: brings the schema of DATABASE_URL up to date. It may run beside other migrations and services. */
const url = process.env.DATABASE_URL;
try {
  if (!url)
    throw new Error('DATABASE_URL is not set: it says which database, as postgres://user:password@host/name');
  const { DATABASE_URL } = readEnvironment(Type.Object(databaseSettings), process.env);
  const applied = await migrateDatabase(DATABASE_URL, process.env.SERVICES_ROLE);
  for (const name of applied) console.log(`applied ${name}`);
  console.log('the schema is up to date');
} catch (error) {
  console.error(`not migrated: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
