import { gauge, gaugeBy, type Registry } from './registry.ts';

export type PoolUsage = { open: number; idle: number; size: number; waiting: number };

/** Shows the connections of this process to the database. */
export function watchPool(register: Registry, usage: () => PoolUsage): void {
  const connections = {
    name: 'payments_database_pool_connections',
    help: 'Open connections to the database, by what they do',
    label: 'state',
  };
  gaugeBy(register, connections, () => {
    const { open, idle } = usage();
    return { idle, busy: open - idle };
  });
  const sizeHelp = 'Connections that this process may open';
  gauge(register, 'payments_database_pool_size', sizeHelp, () => usage().size);
  const waitingHelp = 'Queries that wait for a free connection';
  gauge(register, 'payments_database_pool_waiting', waitingHelp, () => usage().waiting);
}
