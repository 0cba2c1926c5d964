import { newId } from '@payments/domain/identifiers';
import { newToken, tokenHash } from '@payments/domain/tokens';
import { newWebhookSecret } from '@payments/webhooks/signature';
import { session } from './ground.ts';

export type BenchStore = { id: string; token: string };

const store = `insert into stores (id, name, max_amount, webhook_secret, created_at)
  values ($1, 'Loja', 300000, $2, now())`;
const currentToken = 'insert into tokens (id, store_id, hash, created_at) values ($1, $2, $3, now())';

/** Enters a store with a token into a database with the service's schema. */
export async function createStore(databaseUrl: string): Promise<BenchStore> {
  const [id, token] = [newId(), newToken()];
  await session(databaseUrl, async (client) => {
    await client.query(store, [id, newWebhookSecret()]);
    await client.query(currentToken, [newId(), id, tokenHash(token)]);
  });
  return { id, token };
}
