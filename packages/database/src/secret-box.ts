import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { ConfigurationError } from '@payments/runtime/environment';

/**
 * Values of `SECRETS_KEY` and of the keys beside it while it is changed. Every one of them opens.
 *
 * Without `next`, a rolling change of the key would leave processes that can't read what their successors seal.
 */
export type SealingKeys = {
  /** The key that seals. Without one, texts are stored as they are. */
  current?: string | undefined;
  /** The key that seals after the next rollout: what it sealed already is left alone. */
  next?: string | undefined;
  /** Keys before: what they sealed is to be sealed anew. */
  previous?: readonly string[];
};

/** How a stored secret is sealed: as it should be, so that it is to be sealed anew, or so that no key opens it. */
export type Seal = 'current' | 'old' | 'lost';

/**
 * Seals secrets that must be read again, so that a copy of the database alone opens none (Contract: secrets at rest).
 * `owner` says what a secret belongs to: in another place it does not open, so that exchanged rows are noticed.
 */
export type SecretBox = {
  seal(secret: string, owner: string): string;
  /** @throws ConfigurationError for a text that no key opens; a text that is not sealed is the secret itself */
  open(stored: string, owner: string): string;
  sealOf(stored: string, owner: string): Seal;
};

const prefix = 'sealed:';
const [ivBytes, tagBytes] = [12, 16];

export function secretBox(keys: SealingKeys): SecretBox {
  const ring = keyRing(keys, (key) => Buffer.from(hkdfSync('sha256', key, 'payments', 'secrets', 32)));
  const bytesOf = (stored: string) => Buffer.from(stored.slice(prefix.length), 'base64url');
  return {
    seal: (secret, owner) =>
      ring.current
        ? prefix + encrypt(ring.current, Buffer.from(secret), owner).toString('base64url')
        : secret,
    open: (stored, owner) => {
      if (!stored.startsWith(prefix)) return stored;
      const secret = decrypt(ring.all, bytesOf(stored), owner);
      if (!secret) throw new ConfigurationError('SECRETS_KEY does not open the stored secrets');
      return secret.toString();
    },
    sealOf: (stored, owner) => {
      if (!stored.startsWith(prefix)) return ring.current ? 'old' : 'current';
      return sealIn(ring, bytesOf(stored), owner);
    },
  };
}

export type KeyRing = {
  current: Buffer | undefined;
  /** Keys whose seals stay. */
  kept: readonly Buffer[];
  previous: readonly Buffer[];
  all: readonly Buffer[];
};

/** @param derive makes the key of one purpose, so that what is sealed for another does not open */
export function keyRing(
  { current, next, previous = [] }: SealingKeys,
  derive: (key: string) => Buffer,
): KeyRing {
  const kept = [current, next].filter((key) => key !== undefined).map(derive);
  const before = previous.map(derive);
  return {
    current: current === undefined ? undefined : kept[0],
    kept,
    previous: before,
    all: [...kept, ...before],
  };
}

/** @returns how `sealed` is sealed. Only without a current key may what a key before has sealed stay as it is */
export function sealIn({ current, kept, previous }: KeyRing, sealed: Buffer, owner: string): Seal {
  if (decrypt(kept, sealed, owner)) return 'current';
  if (!decrypt(previous, sealed, owner)) return 'lost';
  return current ? 'old' : 'current';
}

export function encrypt(key: Buffer, secret: Buffer, owner: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/** @returns undefined if it was sealed with none of the keys or for another owner, or altered */
export function decrypt(keys: readonly Buffer[], sealed: Buffer, owner: string): Buffer | undefined {
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
