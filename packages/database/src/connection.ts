import type { CommittedEvent } from '@payments/domain/events';
import { databaseServers } from '@payments/runtime/database-servers';
import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPoolClient, type Transaction } from 'kysely';
import pg from 'pg';
import { prepareQueries } from './client.ts';
import { DatabaseUnavailable, translateRefusal } from './errors.ts';
import { watchConnections } from './failover.ts';
import type { Schema } from './schema.ts';
import { WritableClient } from './servers.ts';
import { tell } from './transaction.ts';
import { inTurns } from './turns.ts';

/** A pool of connections, and what this process knows of it: who listens to its commits, and its batches. */
export class Database extends Kysely<Schema> {
  /** Told of each event that is committed through it. */
  readonly listeners: ((event: CommittedEvent) => void)[] = [];
  /** The batches of its requests, by what they run. */
  readonly batches = new Map<object, unknown>();
  readonly connections: Connections;
  readonly patienceMs: number;

  constructor(connections: Connections, patienceMs: number, end: () => Promise<void>) {
    const { pool, take } = connections;
    super({
      dialect: new PostgresDialect({ pool: { connect: take, end, options: pool.options } }),
      // Columns are in snake case in SQL, in camel case in TypeScript.
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    });
    this.connections = connections;
    this.patienceMs = patienceMs;
  }
}
export type Queryable = Kysely<Schema> | Transaction<Schema>;

type Connections = { pool: pg.Pool; take: () => Promise<PostgresPoolClient> };

export type ConnectionOptions = {
  /** The most connections; 10 by default. */
  poolSize?: number;
  applicationName?: string;
  /** How long a request waits for a connection, or for what it shares with others; 5 s by default. */
  patienceMs?: number | undefined;
  /** The longest that a statement may take; 30 s by default, 0 for no limit, whatever the database's is. */
  statementTimeoutMs?: number;
  /** Called when an idle connection breaks. Log it; the pool recovers. */
  onIdleError?: (error: Error) => void;
};

/**
 * Opens a pool on a PostgreSQL URL. It connects at the first query, and reconnects after an outage or a failover, to
 * whichever host takes writes. Queries reject with {@link DatabaseUnavailable} while none does.
 * @param url `DATABASE_URL`, with one host or several
 */
export function connect(url: string, options: ConnectionOptions = {}): Database {
  const { patienceMs = 5_000 } = options;
  const servers = databaseServers(url);
  const config = { ...settingsOf(options), connectionTimeoutMillis: patienceMs, servers };
  const connections = watchConnections(servers, () => new WritableClient(config));
  const pool = new pg.Pool({ ...config, Client: WritableClient as never });
  pool.on('error', (error) => options.onIdleError?.(error));
  pool.on('connect', (made) => {
    const client = made as unknown as WritableClient;
    prepareQueries(client, connections.leaveServerOf);
    connections.add(client);
  });
  pool.on('remove', (client) => connections.remove(client as unknown as WritableClient));
  const take = () => connected(pool, servers.length);
  const end = () => {
    connections.stop();
    return pool.end();
  };
  return new Database({ pool, take }, patienceMs, end);
}

/**
 * The same pool for work that others must never wait for (Design: Bounds): it has `most` connections at once, so that
 * the rest is free for whoever uses `db` itself.
 * @returns a database whose queries reject with {@link DatabaseUnavailable} if they wait too long for a place; what it
 * commits is told to the listeners of `db`
 */
export function shareOf(db: Database, most: number): Database {
  const { pool, take } = db.connections;
  const { patienceMs } = db;
  const inTurn = inTurns({ most, patienceMs });
  const share = new Database({ pool, take: () => inTurn(take) }, patienceMs, async () => {});
  share.listeners.push((event) => tell(db, event));
  return share;
}

function settingsOf(options: ConnectionOptions): pg.PoolConfig {
  const { statementTimeoutMs = 30_000 } = options;
  return {
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? 'payments',
    // A new connection must prepare every statement again, and requests would wait for it.
    idleTimeoutMillis: 600_000,
    // A process that hangs with row locks blocks every other process that needs those rows.
    idle_in_transaction_session_timeout: 10_000,
    statement_timeout: statementTimeoutMs,
    // Fires only if the server did not end the statement itself: its host is gone.
    query_timeout: statementTimeoutMs && statementTimeoutMs + 1_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  };
}

/** Tries each server once: one is down, another takes no writes. */
async function connected(pool: pg.Pool, servers: number): Promise<PostgresPoolClient> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pool.connect();
    } catch (error) {
      const translated = translateRefusal(error);
      const isOfServer = translated instanceof DatabaseUnavailable && !isOfPool(error);
      if (!isOfServer || tries === servers) throw translated;
    }
  }
}

/** @returns whether all connections were in use for too long */
const isOfPool = (error: unknown) =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

/** @returns the connections of the pool: the most allowed, open, idle; and how many queries wait for one */
export function poolUsage(db: Database) {
  const { options, totalCount, idleCount, waitingCount } = db.connections.pool;
  return { size: options.max, open: totalCount, idle: idleCount, waiting: waitingCount };
}

const { INT8, TIMESTAMPTZ, DATE } = pg.types.builtins;

const parsers = new Map<number, (text: string) => unknown>([
  // Counts and centavos stay below 2^53; by default pg returns int8 as text.
  [INT8, Number],
  // Sessions are in UTC. The engine parses its text four times as fast as pg does.
  [TIMESTAMPTZ, (text) => new Date(text)],
  // A day stays text: a Date would be midnight of this machine's zone.
  [DATE, String],
]);

const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid) =>
  parsers.get(oid) ?? pg.types.getTypeParser(oid);
