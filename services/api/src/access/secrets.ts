import { createHash, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Secrets that callers show: read from a header, compared, made, hashed, and keys that follow from them. */

/**
 * Reads `Authorization: Bearer <token>`.
 * @returns the token, or undefined without a bearer token in the header (Contract: bearer token)
 */
export function bearerToken(header: string | undefined): string | undefined {
  const match = /^bearer +(\S.*)$/i.exec(header?.trim() ?? '');
  return match?.[1]?.trim();
}

/** @returns a function that compares a text with the secret in constant time */
export function secretCheck(secret: string): (given: string) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}

/** Compares in constant time with a secret that may change. */
export function isSecret(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

// Hashes have equal lengths, which timingSafeEqual needs.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** @returns a key for one purpose: another secret makes what it signed or encrypted worthless */
export function keyFor(purpose: string, secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'panel', purpose, 32));
}

/** A secret that a link or a cookie carries, and its SHA-256, the only stored form. */
export type SecretToken = { token: string; hash: Buffer };

/** @returns a new secret of 256 bits, URL-safe */
export function newSecretToken(): SecretToken {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

/** @returns the hash under which the secret is stored */
export function hashOf(...parts: string[]): Buffer {
  return hash('sha256', parts.join('\n'), 'buffer');
}
