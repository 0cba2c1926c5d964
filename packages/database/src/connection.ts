import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { preparing } from './client.ts';
import { translateError } from './errors.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;
export type Queryable = Kysely<Schema> | Transaction<Schema>;

export type ConnectionOptions = {
  /** Connections at most; 10 unless told. */
  poolSize?: number;
  applicationName?: string;
  /** How long a statement may take, for ever with 0; 30 s unless told. */
  statementTimeoutMs?: number;
  /** How long an answer may take where the server itself ends nothing, for ever with 0; 31 s unless told. */
  queryTimeoutMs?: number;
  /** Called when an idle connection breaks: worth a log line, never a crash. */
  onIdleError?: (error: Error) => void;
};

const pools = new WeakMap<Database, pg.Pool>();

/**
 * Opens a pool on a PostgreSQL URL; connects at the first query, and again by itself after an outage.
 * Queries reject with {@link DatabaseUnavailable} while the database is away.
 */
export function connect(url: string, options: ConnectionOptions = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize ?? 10,
    application_name: options.applicationName ?? 'payments',
    connectionTimeoutMillis: 5_000,
    // Requests would wait while a new connection prepares every statement anew.
    idleTimeoutMillis: 600_000,
    // A process that hangs while it holds row locks holds up all others that want those rows.
    idle_in_transaction_session_timeout: 10_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    // Fires only where the server did not end the statement itself: its host is gone.
    query_timeout: options.queryTimeoutMs ?? 31_000,
    // Compiling a plan takes longer than any statement here.
    options: '-c timezone=UTC -c jit=off',
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  // Without a listener, a connection that breaks inside a transaction would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: { connect: () => connected(pool), end: () => pool.end(), options: pool.options },
    }),
  });
  pools.set(db, pool);
  return db;
}

async function connected(pool: pg.Pool) {
  try {
    return preparing(await pool.connect());
  } catch (error) {
    throw translateError(error);
  }
}

/** Connections of a process: how many there may be, are open, lie idle, and how many queries wait for one. */
export type PoolUsage = { size: number; open: number; idle: number; waiting: number };

export function poolUsage(db: Database): PoolUsage {
  const pool = pools.get(db);
  if (!pool) throw new TypeError('not a database that was opened here');
  const { totalCount: open, idleCount: idle, waitingCount: waiting } = pool;
  return { size: pool.options.max, open, idle, waiting };
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;

const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) => {
  // Counts and centavos stay below 2^53; pg hands int8 over as text unless told so.
  if (oid === INT8 && format !== 'binary') return Number;
  // Sessions are in UTC, whose text the engine reads four times as fast as pg does.
  if (oid === TIMESTAMPTZ && format !== 'binary') return (text: string) => new Date(text);
  return pg.types.getTypeParser(oid, format as 'text');
};
