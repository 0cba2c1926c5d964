import { createHash, timingSafeEqual } from 'node:crypto';

/** @returns a function that says whether a text is the secret, in a time that tells nothing of it */
export function secretCheck(secret: string): (given: string) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}

// Equal lengths, whatever was given.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
