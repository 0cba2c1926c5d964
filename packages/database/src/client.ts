import { hash } from 'node:crypto';
import { isTracing, traced } from '@payments/tracing/tracing';
import type { PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { translateError } from './errors.ts';

const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();

/** @returns Kysely's client, which prepares statements with parameters, traces them, and translates errors */
export function preparing(client: pg.PoolClient): PostgresPoolClient {
  const known = wrapped.get(client);
  if (known) return known;
  let isLost = false;
  const send = client.query.bind(client) as unknown as (query: unknown) => Promise<unknown>;
  const query = (text: unknown, values?: readonly unknown[]) =>
    inSpan(text, () => send(prepared(text, values))).catch((error: unknown) => {
      isLost ||= error instanceof Error && error.message === 'Query read timeout';
      throw translateError(error);
    });
  // A late response would be read as the next query's, and a failed rollback may leave a transaction open.
  const release = (isDiscarded = false) => client.release(isLost || isDiscarded);
  const proxy = { query, release } as unknown as PostgresPoolClient;
  wrapped.set(client, proxy);
  return proxy;
}

/** A named statement is parsed once per connection. */
function prepared(text: unknown, values: readonly unknown[] = []): unknown {
  if (typeof text !== 'string' || values.length === 0) return text;
  return { name: hash('sha1', text, 'base64url'), text, values };
}

const longestText = 1_000;

/** The span shows the statement's text, which holds no values. */
function inSpan(text: unknown, send: () => Promise<unknown>): Promise<unknown> {
  if (!isTracing() || typeof text !== 'string') return send();
  const operation = /\w+/.exec(text)?.[0]?.toUpperCase() ?? 'SQL';
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text.replace(/\s+/g, ' ').trim().slice(0, longestText),
  };
  return traced(`PostgreSQL ${operation}`, { kind: 'client', attributes, onlyWithin: true }, send);
}
