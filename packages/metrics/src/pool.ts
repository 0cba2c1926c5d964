import { type Database, poolUsage } from '@payments/database/connection';
import { gauge, gaugeBy, type Registry } from './registry.ts';

/** Shows the connections of this process to the database. */
export function watchPool(register: Registry, db: Database): void {
  const connections = {
    name: 'payments_database_pool_connections',
    help: 'Open connections to the database, by what they do',
    label: 'state',
  };
  gaugeBy(register, connections, () => {
    const { open, idle } = poolUsage(db);
    return { idle, busy: open - idle };
  });
  gauge(
    register,
    'payments_database_pool_size',
    'Connections that this process may open',
    () => poolUsage(db).size,
  );
  gauge(
    register,
    'payments_database_pool_waiting',
    'Queries that wait for a free connection',
    () => poolUsage(db).waiting,
  );
}
