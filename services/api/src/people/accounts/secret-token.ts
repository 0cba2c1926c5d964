import { hash, randomBytes } from 'node:crypto';

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
