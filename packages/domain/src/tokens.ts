import { hash, randomBytes } from 'node:crypto';

/** @returns a new access token: `pp_` and 43 random URL-safe characters, 256 bits (Contract: bearer token) */
export function newToken(): string {
  return `pp_${randomBytes(32).toString('base64url')}`;
}

/** @returns the token's SHA-256, its only stored form */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The record of a token that was found by its hash. */
export type TokenRecord = {
  supersededAt: Date | null;
  deactivatedAt: Date | null;
  expiresAt: Date | null;
  storeActive: boolean;
};

export type TokenVerdict = 'valid' | 'superseded' | 'invalid' | 'store-inactive';

/** Judges a token. `superseded` comes before expired and deactivated (Contract: newest token). */
export function judgeToken(token: TokenRecord | undefined, now: Date): TokenVerdict {
  if (!token) return 'invalid';
  if (token.supersededAt) return 'superseded';
  if (token.deactivatedAt || (token.expiresAt && token.expiresAt <= now)) return 'invalid';
  return token.storeActive ? 'valid' : 'store-inactive';
}
