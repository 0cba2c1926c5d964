import { hash, randomBytes } from 'node:crypto';

/** @returns a new access token: `pp_` and 43 random URL-safe characters, 256 bits (Contract: bearer token) */
export function newToken(): string {
  return `pp_${randomBytes(32).toString('base64url')}`;
}

/** @returns the same for a test store: `pp_test_` and 43 random URL-safe characters (Contract: test stores) */
export function newTestToken(): string {
  return `pp_test_${randomBytes(32).toString('base64url')}`;
}

const tokenForm = /^pp_(test_)?[\w-]{43}$/;
const keyForm = /^ppk_[\w-]{43}$/;

/** @returns whether a text may be a store's token: no other needs a look-up (Contract: bearer token) */
export function hasTokenForm(text: string): boolean {
  return tokenForm.test(text);
}

/** @returns whether a text may be a program's key: no other needs a look-up (Contract: administration) */
export function hasKeyForm(text: string): boolean {
  return keyForm.test(text);
}

/** @returns a new program's key: `ppk_` and 43 random URL-safe characters, 256 bits (Contract: administration) */
export function newKey(): string {
  return `ppk_${randomBytes(32).toString('base64url')}`;
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
