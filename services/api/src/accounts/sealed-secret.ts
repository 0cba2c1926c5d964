import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { keyFor } from '../authentication/derived-key.ts';

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;

/** The first one encrypts, and each decrypts. */
export type SealingKeys = readonly string[];

/** @param owner the account that the secret is of: nobody can use it for another */
export function seal(secret: Buffer, owner: string, [key = '']: SealingKeys): Buffer {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv(algorithm, keyFor('second factor', key), iv).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** @returns the secret, or undefined if it was sealed for another account or with an unknown key */
export function unseal(sealed: Buffer, owner: string, keys: SealingKeys): Buffer | undefined {
  for (const key of keys) {
    try {
      return opened(sealed, owner, keyFor('second factor', key));
    } catch {
      // Sealed with another key.
    }
  }
  return undefined;
}

function opened(sealed: Buffer, owner: string, key: Buffer): Buffer {
  const iv = sealed.subarray(0, ivLength);
  const tag = sealed.subarray(ivLength, ivLength + tagLength);
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagLength });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()]);
}
