import type { Queryable } from '@payments/database/connection';
import { lockStore, type Store } from '@payments/database/stores/stores';
import { findTokenTimes } from '@payments/database/stores/tokens';
import type { TokenDeed } from '@payments/domain/store-choices';
import { judgeToken, type TokenVerdict } from '@payments/domain/tokens';

/** A store's token, which acts on the store's own payments alone. */
export type StoreToken = { id: string; storeId: string };

/** Why a token may not do a deed. */
export type TokenRefusal = Exclude<TokenVerdict, 'valid'> | 'deed-not-enabled';

/** A store's token may not do this any more; nothing was written. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly refusal: TokenRefusal;

  constructor(refusal: TokenRefusal) {
    super(refusal);
    this.refusal = refusal;
  }
}

/**
 * Judges a store's token once more where it moves money: a request may have been admitted minutes ago, before its body
 * arrived and its turn came. The store is locked until the transaction ends, so that a new token, the store's deactivation
 * and its choices are made before the deed, and are seen, or after it (Contract: newest token).
 * @returns the store
 * @throws TokenRefused
 */
export async function lockStoreOf(
  trx: Queryable,
  token: StoreToken,
  { deed, now }: { deed: TokenDeed; now: () => Date },
): Promise<Store> {
  const store = await lockStore(trx, token.storeId);
  const times = await findTokenTimes(trx, token);
  if (!store || !times) throw new TokenRefused('invalid');
  const verdict = judgeToken({ ...times, storeActive: store.active }, now());
  if (verdict !== 'valid') throw new TokenRefused(verdict);
  if (!store.tokenMay.includes(deed)) throw new TokenRefused('deed-not-enabled');
  return store;
}
