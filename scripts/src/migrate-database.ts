import { connect } from '@payments/database/connection';
import { migrateToLatest, noTimeout } from '@payments/database/migrate';
import { grantToServices } from '@payments/database/services-role';

/**
 * Brings a database's schema up to date.
 * @param servicesRole the services' role, which gets its rights
 * @returns the names of the migrations that were applied
 */
export async function migrateDatabase(url: string, servicesRole?: string): Promise<string[]> {
  await using database = connect(url, { applicationName: 'payments-migrate', ...noTimeout });
  const applied = await migrateToLatest(database);
  if (servicesRole) await grantToServices(database, servicesRole);
  return applied;
}
