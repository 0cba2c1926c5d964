import { hash } from 'node:crypto';
import { isTraced, SpanKind, traced } from '@payments/tracing/tracing';
import type { PostgresPoolClient } from 'kysely';
import { isReadOnly, translateError } from './errors.ts';
import type { WritableClient } from './servers.ts';

/** A connection that was taken from the pool. */
export type PooledClient = WritableClient & { release(isDiscarded?: boolean): void };

const wrapped = new WeakMap<PooledClient, PostgresPoolClient>();

/**
 * @param onReadOnly called when the server takes no more writes
 * @returns Kysely's client, which prepares statements with parameters, traces them, and translates errors
 */
export function preparing(
  client: PooledClient,
  onReadOnly: (client: PooledClient) => void,
): PostgresPoolClient {
  const known = wrapped.get(client);
  if (known) return known;
  let isLost = false;
  const send = client.query.bind(client) as unknown as (query: unknown) => Promise<unknown>;
  const query = async (text: unknown, values?: readonly unknown[]) => {
    client.askedAt = performance.now();
    try {
      return await inSpan(text, () => send(client.isPooled ? unnamed(text, values) : prepared(text, values)));
    } catch (error) {
      if (isReadOnly(error)) onReadOnly(client);
      isLost ||= isReadOnly(error) || (error instanceof Error && error.message === 'Query read timeout');
      throw translateError(error);
    } finally {
      client.askedAt = undefined;
    }
  };
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

/** Another session may get the next statement, and does not know the names of this one. */
function unnamed(text: unknown, values: readonly unknown[] = []): unknown {
  return typeof text === 'string' && values.length > 0 ? { text, values } : text;
}

const longestText = 1_000;

/** The span shows the statement's text, which holds no values. */
function inSpan(text: unknown, send: () => Promise<unknown>): Promise<unknown> {
  if (!isTraced() || typeof text !== 'string') return send();
  const operation = /\w+/.exec(text)?.[0]?.toUpperCase() ?? 'SQL';
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text.replace(/\s+/g, ' ').trim().slice(0, longestText),
  };
  return traced(`PostgreSQL ${operation}`, { kind: SpanKind.CLIENT, attributes }, send);
}
