import { gauge, type Registry } from './registry.ts';

export type PoolUsage = { open: number; idle: number; size: number; waiting: number };

/** Shows the connections of this process to the database. */
export function watchPool(register: Registry, usage: () => PoolUsage): void {
  const read = () => {
    const { open, idle } = usage();
    return { idle, busy: open - idle };
  };
  const openHelp = 'Open connections to the database, by what they do';
  gauge(register, 'payments_database_pool_connections', openHelp, read, 'state');
  const sizeHelp = 'Connections that this process may open';
  gauge(register, 'payments_database_pool_size', sizeHelp, () => usage().size);
  const waitingHelp = 'Queries that wait for a free connection';
  gauge(register, 'payments_database_pool_waiting', waitingHelp, () => usage().waiting);
}
