import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks requires 24 to 64 bytes of key. */
const KEY_BYTES = { fresh: 32, min: 24, max: 64 };

export interface SignedMessage {
  /** The same for every attempt of a delivery, so that a receiver can drop repeats. It has no dots. */
  id: string;
  /** The time of this attempt. Receivers refuse messages more than five minutes old. */
  timestamp: Date;
  /** The body exactly as sent; its UTF-8 is signed. */
  body: string;
  /** The store's keys (see {@link signingKey}), newest first; two during a rotation. */
  keys: readonly KeyObject[];
}

/**
 * Signs a webhook by Standard Webhooks: `v1` is the base64 of HMAC-SHA256 over `id.timestamp.body`. Several secrets
 * give several signatures, separated by spaces; a receiver accepts any of them. The `standardwebhooks` package accepts
 * secrets of any length and signs in JavaScript, so tests only compare with it.
 * @throws TypeError without a key, or if the id has a dot
 */
export function signatureHeaders({ id, timestamp, body, keys }: SignedMessage) {
  if (keys.length === 0) throw new TypeError('a webhook needs at least one key to be signed with');
  // With a dot, the signature would also fit another split between id, timestamp and body.
  if (id === '' || id.includes('.')) throw new TypeError('a webhook id is a non-empty string without dots');
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const signed = `${id}.${seconds}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/** @returns a new store secret: `whsec_` and the base64 of 32 random bytes */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES.fresh).toString('base64');
}

/**
 * @param secret `whsec_…`
 * @returns the key that signs with it. Making one costs much more than signing
 * @throws TypeError for a malformed secret, without its text
 */
export function signingKey(secret: string): KeyObject {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(encoded, 'base64');
  // Buffer skips characters that are not base64; a receiver's library would read another key, or none.
  const exact = key.toString('base64') === encoded;
  if (!exact || key.length < KEY_BYTES.min || key.length > KEY_BYTES.max) {
    throw new TypeError('a webhook secret is whsec_ followed by the base64 of 24 to 64 bytes');
  }
  return createSecretKey(key);
}
