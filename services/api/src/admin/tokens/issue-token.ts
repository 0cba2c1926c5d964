import type { Author } from '@payments/database/operations/changes';
import { rotateToken } from '@payments/database/stores/tokens';
import { newId } from '@payments/domain/identifiers';
import { newToken, tokenHash } from '@payments/domain/tokens';
import type { ApiContext } from '../../context.ts';

export type IssuedToken = { id: string; token: string; createdAt: Date; expiresAt: Date | null };

/**
 * Generates a store's token; the one before stops working at once (spec 5.4).
 * @returns the token, which can never be shown again, or undefined when there is no such store
 */
export async function issueToken(
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
  storeId: string,
  expiresAt: Date | null,
  by: Author,
): Promise<IssuedToken | undefined> {
  const token = newToken();
  const row = { id: newId(), storeId, hash: tokenHash(token), now: now(), expiresAt };
  if (!(await rotateToken(db, row, by))) return undefined;
  return { id: row.id, token, createdAt: row.now, expiresAt };
}
