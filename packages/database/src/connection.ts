import { createHash } from 'node:crypto';
import { isTracing, traced } from '@payments/tracing/tracing';
import { Kysely, PostgresDialect, type PostgresPoolClient, type Transaction } from 'kysely';
import pg from 'pg';
import { translateError } from './errors.ts';
import { toParameter } from './parameters.ts';
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
    // A new connection prepares every statement anew, which requests wait for: it is kept from one busy moment to the
    // next.
    idleTimeoutMillis: 600_000,
    // A process that hangs while it holds row locks holds up all others that want those rows.
    idle_in_transaction_session_timeout: 10_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    // Fires only where the server did not end the statement itself: its host is gone.
    query_timeout: options.queryTimeoutMs ?? 31_000,
    // Plans are kept, and one made while a table was new or small would go on reading all of it as it grows: every
    // statement here looks up a few rows by an index. Where a join could still be made the other way round, a statement
    // says `offset 0` or `limit 1` in what is looked up for each row, or names the keys as one list. A bitmap would be of
    // all that matches, where the first few in an index's order were asked for.
    // What can't but read a whole table, mostly a small one, costs so much by its name alone that PostgreSQL before 18 would
    // compile it for a second.
    options: `-c timezone=UTC -c jit=off ${['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan'].map((plan) => `-c enable_${plan}=off`).join(' ')}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  // A connection that breaks between two queries of a transaction has no other listener, which would end the
  // process; the next query on it fails, and the pool drops it.
  pool.on('connect', (client) => client.on('error', () => {}));
  const connectTranslated = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect().catch(rethrowTranslated);
    return prepared(client);
  };
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({
      pool: { connect: connectTranslated, end: () => pool.end(), options: pool.options },
    }),
  });
  pools.set(db, pool);
  return db;
}

const pools = new WeakMap<Database, pg.Pool>();

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
  if (oid === TIMESTAMPTZ && format !== 'binary') return parseTimestamp;
  return pg.types.getTypeParser(oid, format as 'text');
};

const parseAnyTimestamp = pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date;

/** Sessions are in UTC, so nearly every timestamp is one step from ISO 8601, which the engine reads fastest. */
function parseTimestamp(text: string): Date {
  const isUsual = text.endsWith('+00') && text.charCodeAt(10) === 32;
  return isUsual ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseAnyTimestamp(text);
}

const wrapped = new WeakMap<object, PostgresPoolClient>();

/** Sends parameterised queries as named prepared statements (parsed once a connection), and translates errors. */
function prepared(client: pg.PoolClient): PostgresPoolClient {
  const known = wrapped.get(client);
  if (known) return known;
  let isLost = false;
  const send = client.query.bind(client) as unknown as (query: unknown) => Promise<unknown>;
  const query = (text: unknown, parameters?: readonly unknown[]) => {
    const config =
      typeof text === 'string' && parameters?.length
        ? { name: statementName(text), text, values: parameters.map(toParameter) }
        : text;
    return inSpan(text, () => send(config)).catch((error: unknown) => {
      isLost ||= error instanceof Error && error.message === 'Query read timeout';
      return rethrowTranslated(error);
    });
  };
  // An answer that may yet come would be taken for the next query's, and one whose rollback failed may be in its old
  // transaction: such a connection is not used again.
  const release = (isDiscarded = false) => client.release(isLost || isDiscarded);
  const proxy = { query, release } as unknown as PostgresPoolClient;
  wrapped.set(client, proxy);
  return proxy;
}

/** Of a statement only its text is told, which holds no values: those are parameters. */
function inSpan(text: unknown, send: () => Promise<unknown>): Promise<unknown> {
  if (!isTracing() || typeof text !== 'string') return send();
  const operation = /\w+/.exec(text)?.[0]?.toUpperCase() ?? 'SQL';
  const query = text.replace(/\s+/g, ' ').trim().slice(0, longestText);
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': query,
  };
  return traced(`PostgreSQL ${operation}`, { kind: 'client', attributes, onlyWithin: true }, send);
}

const longestText = 1_000;

const names = new Map<string, string>();

function statementName(text: string): string {
  let name = names.get(text);
  if (!name) {
    name = createHash('sha1').update(text).digest('base64url');
    // Texts with lists of varying length are many: forget rather than grow without bound.
    if (names.size > 2_000) names.clear();
    names.set(text, name);
  }
  return name;
}

function rethrowTranslated(error: unknown): never {
  throw translateError(error);
}
