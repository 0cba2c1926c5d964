import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { remembered } from './remembered.ts';

const PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64 bytes of key. */
const KEY_BYTES = { fresh: 32, min: 24, max: 64 };

export interface SignedMessage {
  /** The same for every attempt of one delivery, so that a receiver can drop repeats. No dots. */
  id: string;
  /** When this attempt is made. Receivers refuse messages more than five minutes old. */
  timestamp: Date;
  /** The body exactly as it is sent; it is signed as UTF-8. */
  body: string;
  /** `whsec_…`, newest first; more than one while a rotation overlaps. */
  secrets: readonly string[];
}

/** A type and no interface, so that it can be passed where a `Record<string, string>` is asked for. */
export type SignatureHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

/**
 * Signs a webhook by Standard Webhooks: `v1` is HMAC-SHA256 over `id.timestamp.body`, in base64. Several secrets give
 * as many signatures, separated by a space; a receiver accepts any of them. Our own, because the `standardwebhooks`
 * package takes secrets of any length and signs in JavaScript. Tests hold it against that package, to the byte.
 * @throws TypeError, which never repeats a secret, where there is none or one is malformed
 */
export function signatureHeaders({ id, timestamp, body, secrets }: SignedMessage): SignatureHeaders {
  if (secrets.length === 0) throw new TypeError('a webhook needs at least one secret to be signed with');
  // A dot would let the same signature stand for another split between id, timestamp and body.
  if (id === '' || id.includes('.')) throw new TypeError('a webhook id is a non-empty string without dots');
  const seconds = String(Math.floor(timestamp.getTime() / 1000));
  const signed = `${id}.${seconds}.${body}`;
  const signatures = secrets.map((secret) => `v1,${hmac(keyOf(secret), signed)}`);
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/** A new store secret: `whsec_` and the base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES.fresh).toString('base64');
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64');
}

// Making a key costs a multiple of signing with it.
const keyOf = remembered((secret): KeyObject => createSecretKey(keyBytesOf(secret)));

function keyBytesOf(secret: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(encoded, 'base64');
  // Buffer skips what is not base64; a receiver's library would read another key, or none.
  const exact = key.toString('base64') === encoded;
  if (!exact || key.length < KEY_BYTES.min || key.length > KEY_BYTES.max) {
    throw new TypeError('a webhook secret is whsec_ followed by the base64 of 24 to 64 bytes');
  }
  return key;
}
