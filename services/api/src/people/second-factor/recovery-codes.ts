import { randomBytes } from 'node:crypto';
import { hashOf } from '../../access/secrets.ts';

const count = 10;
// Letters and digits that nobody confuses on paper.
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** @returns ten codes of 80 bits, `xxxx-xxxx-xxxx-xxxx`; each replaces the second factor once */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const text = [...randomBytes(16)].map((byte) => alphabet[byte % 32]).join('');
    return text.match(/.{4}/g)!.join('-');
  });
}

/** @returns the hash under which a code is stored, however it is typed */
export function recoveryCodeHash(accountId: string, code: string): Buffer {
  return hashOf('recovery code', accountId, code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
}
