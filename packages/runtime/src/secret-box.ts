import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { ConfigurationError } from './environment.ts';

/** Seals secrets that must be read again, so that a copy of the database alone opens none (Contract: secrets at rest). */
export type SecretBox = {
  seal(secret: string): string;
  /** @throws ConfigurationError for a text that none of the keys opens; a text that is not sealed is the secret itself */
  open(stored: string): string;
};

const prefix = 'sealed:';
const [ivBytes, tagBytes] = [12, 16];

/**
 * @param keys values of `SECRETS_KEY`: the first one seals, each opens. Without one, secrets are stored as they are
 */
export function secretBox(keys: readonly string[]): SecretBox {
  const derived = keys.map((key) => Buffer.from(hkdfSync('sha256', key, 'payments', 'secrets', 32)));
  const [current] = derived;
  return {
    seal: (secret) =>
      current ? prefix + encrypt(current, Buffer.from(secret)).toString('base64url') : secret,
    open: (stored) => {
      if (!stored.startsWith(prefix)) return stored;
      const secret = decrypt(derived, Buffer.from(stored.slice(prefix.length), 'base64url'));
      if (!secret) throw new ConfigurationError('SECRETS_KEY does not open the stored secrets');
      return secret.toString();
    },
  };
}

/** @param owner whom the secret is of: nobody can use it for another */
export function encrypt(key: Buffer, secret: Buffer, owner = ''): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/** @returns undefined if it was sealed with none of the keys or for another owner, or altered */
export function decrypt(keys: readonly Buffer[], sealed: Buffer, owner = ''): Buffer | undefined {
  const end = sealed.length - tagBytes;
  for (const key of keys) {
    try {
      const iv = sealed.subarray(0, ivBytes);
      // A shorter tag could be guessed.
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(end));
      return Buffer.concat([decipher.update(sealed.subarray(ivBytes, end)), decipher.final()]);
    } catch {
      // Sealed with another key.
    }
  }
  return undefined;
}
