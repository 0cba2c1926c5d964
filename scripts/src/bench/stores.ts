import { connect } from '@payments/database/connection';
import { insertStore } from '@payments/database/stores';
import { rotateToken } from '@payments/database/tokens';
import { newId } from '@payments/domain/identifiers';
import { newToken, tokenHash } from '@payments/domain/tokens';
import { newWebhookSecret } from '@payments/webhooks/signature';

export type BenchStore = { id: string; token: string };

/** Enters a store with a token into a database with the service's schema. */
export async function createStore(databaseUrl: string): Promise<BenchStore> {
  const db = connect(databaseUrl);
  const [id, token, now] = [newId(), newToken(), new Date()];
  const terms = { feePpm: null, feeFixed: null, maxAmount: 300_000, reviewAbove: null };
  await insertStore(db, { id, name: 'Loja', ...terms, webhookSecret: newWebhookSecret(), createdAt: now });
  await rotateToken(db, { id: newId(), storeId: id, hash: tokenHash(token), now, expiresAt: null });
  await db.destroy();
  return { id, token };
}
