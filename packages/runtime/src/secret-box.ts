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
    seal: (secret) => (current ? prefix + encrypt(current, secret).toString('base64url') : secret),
    open: (stored) => {
      if (!stored.startsWith(prefix)) return stored;
      const bytes = Buffer.from(stored.slice(prefix.length), 'base64url');
      for (const key of derived) {
        const secret = decrypt(key, bytes);
        if (secret !== undefined) return secret;
      }
      throw new ConfigurationError('SECRETS_KEY does not open the stored secrets');
    },
  };
}

function encrypt(key: Buffer, secret: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** @returns undefined if it was sealed with another key, or altered */
function decrypt(key: Buffer, bytes: Buffer): string | undefined {
  try {
    const end = bytes.length - tagBytes;
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(end));
    return decipher.update(bytes.subarray(ivBytes, end), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
