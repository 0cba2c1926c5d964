import { connect } from '@payments/database/connection';
import { migrateToLatest, noTimeout } from '@payments/database/migrate';

/**
 * Brings a database's schema up to date.
 * @returns the names of the migrations that were applied
 */
export async function migrateDatabase(url: string): Promise<string[]> {
  const database = connect(url, { applicationName: 'payments-migrate', ...noTimeout });
  try {
    return await migrateToLatest(database);
  } finally {
    await database.destroy();
  }
}
