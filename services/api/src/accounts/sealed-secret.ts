import { decrypt, encrypt } from '@payments/runtime/secret-box';
import { keyFor } from '../authentication/derived-key.ts';

/** The first one encrypts, and each decrypts. */
export type SealingKeys = readonly string[];

const sealingKey = (key: string) => keyFor('second factor', key);

/** @param owner the account that the secret is of: nobody can use it for another */
export function seal(secret: Buffer, owner: string, [key = '']: SealingKeys): Buffer {
  return encrypt(sealingKey(key), secret, owner);
}

/** @returns the secret, or undefined if it was sealed for another account or with an unknown key */
export function unseal(sealed: Buffer, owner: string, keys: SealingKeys): Buffer | undefined {
  return decrypt(keys.map(sealingKey), sealed, owner);
}
