import { createHash, timingSafeEqual } from 'node:crypto';

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
