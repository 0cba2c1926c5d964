import { hash } from 'node:crypto';
import { isTraced, SpanKind, traced } from '@payments/tracing/tracing';
import { isReadOnly, translateError } from './errors.ts';
import type { WritableClient } from './servers.ts';

type Query = (text: string, values: readonly unknown[]) => Promise<unknown>;

/**
 * Makes Kysely's queries on a connection prepared statements, which are traced, and whose errors are translated.
 * @param onReadOnly called when the server takes no more writes
 */
export function prepareQueries(client: WritableClient, onReadOnly: (client: WritableClient) => void): void {
  const send = client.query.bind(client) as (query: unknown) => Promise<unknown>;
  let lost: unknown;
  const query: Query = async (text, values) => {
    client.askedAt = performance.now();
    try {
      return await inSpan(text, () => send(client.isPooled ? { text, values } : prepared(text, values)));
    } catch (error) {
      if (isReadOnly(error)) onReadOnly(client);
      // Not used again: a late response would be read as the next query's. A rollback then fails for the same cause.
      if (lost === undefined && (isReadOnly(error) || isUnanswered(error))) {
        lost = error;
        void client.end();
      }
      throw translateError(lost ?? error);
    } finally {
      client.askedAt = undefined;
    }
  };
  client.query = query as typeof client.query;
}

const isUnanswered = (error: unknown) => error instanceof Error && error.message === 'Query read timeout';

// Connections keep each statement that they prepared, so that these are no more than what they hold.
const names = new Map<string, string>();

/** A named statement is parsed once per connection. A pooler's other sessions would not know its name. */
function prepared(text: string, values: readonly unknown[]): unknown {
  if (values.length === 0) return text;
  const name = names.get(text) ?? hash('sha1', text, 'base64url');
  names.set(text, name);
  return { name, text, values };
}

const longestText = 1_000;

/** The span shows the statement's text, which holds no values. */
function inSpan(text: string, send: () => Promise<unknown>): Promise<unknown> {
  if (!isTraced()) return send();
  const operation = /\w+/.exec(text)?.[0]?.toUpperCase() ?? 'SQL';
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text.replace(/\s+/g, ' ').trim().slice(0, longestText),
  };
  return traced(`PostgreSQL ${operation}`, { kind: SpanKind.CLIENT, attributes }, send);
}
