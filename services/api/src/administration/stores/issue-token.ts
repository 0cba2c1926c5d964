import type { Author } from '@payments/database/record/changes';
import { rotateToken } from '@payments/database/stores/tokens';
import { newId } from '@payments/domain/identifiers';
import { newToken, tokenHash } from '@payments/domain/tokens';
import type { AdministrationContext } from '../../context.ts';
import { wrongField } from '../../http/errors/condition.ts';
import { errors } from '../../http/errors/errors.ts';
import { rules } from '../../http/errors/field-rules.ts';

export type IssuedToken = { id: string; token: string; createdAt: Date; expiresAt: Date | null };

/**
 * Generates a store's token. The previous one stops working at once (Contract: newest token).
 * @returns the token, which is never shown again
 * @throws ApiError 400 for an expiry that is not in the future, 404 for an unknown store
 */
export async function issueToken(
  { db, now }: Pick<AdministrationContext, 'db' | 'now'>,
  storeId: string,
  expiresAt: Date | null,
  by: Author,
): Promise<IssuedToken> {
  const createdAt = now();
  if (expiresAt && expiresAt <= createdAt) throw wrongField('expiresAt', rules.inFuture);
  const token = newToken();
  const row = { id: newId(), storeId, hash: tokenHash(token), createdAt, expiresAt };
  if (!(await rotateToken(db, row, by))) throw errors.storeNotFound();
  return { id: row.id, token, createdAt, expiresAt };
}
