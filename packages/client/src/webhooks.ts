import type { PaymentEvent, StoreEvent } from './types.ts';

/** A webhook that is forged, changed or too old. Respond 401 and ignore it. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
}

export type VerifiedWebhook<Event extends StoreEvent = PaymentEvent> = {
  /** `webhook-id`: the same at every attempt. Drop the ones that you have seen. */
  id: string;
  /** The time of this attempt. */
  sentAt: Date;
  event: Event;
};

export type ReceivedWebhook = {
  /** The store's `whsec_…`; several during a rotation. */
  secret: string | readonly string[];
  /** From Node, Fetch or your framework; names in any case. */
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  /** Exactly as received, not parsed and serialized again. */
  body: string | Uint8Array;
  /** The allowed age, or lead, in seconds; 300 by default. */
  toleranceSeconds?: number;
  now?: Date;
};

const encoder = new TextEncoder();

/**
 * Verifies a webhook by Standard Webhooks, in constant time. A store that asks for more events than the usual two says so by
 * `verifyWebhook<StoreEvent>`.
 * @throws WebhookVerificationError; TypeError for a malformed secret
 */
export async function verifyWebhook<Event extends StoreEvent = PaymentEvent>(
  received: ReceivedWebhook,
): Promise<VerifiedWebhook<Event>> {
  const { secret, headers, toleranceSeconds = 300, now = new Date() } = received;
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const signatures = header(headers, 'webhook-signature').split(' ');
  const sentAt = new Date(Number(timestamp) * 1_000);
  const isRecent = Math.abs(now.getTime() - sentAt.getTime()) <= toleranceSeconds * 1_000;
  if (!/^\d+$/.test(timestamp) || !isRecent)
    throw new WebhookVerificationError(`the timestamp is more than ${toleranceSeconds} seconds off`);

  const body = typeof received.body === 'string' ? encoder.encode(received.body) : received.body;
  const signed = join(encoder.encode(`${id}.${timestamp}.`), body);
  const keys = await Promise.all([secret].flat().map(keyOf));
  if (!(await isSigned(signed, signatures, keys)))
    throw new WebhookVerificationError('no signature is the service’s');
  return { id, sentAt, event: JSON.parse(new TextDecoder().decode(body)) as Event };
}

async function isSigned(signed: Bytes, signatures: string[], keys: CryptoKey[]): Promise<boolean> {
  const given = signatures.filter((one) => one.startsWith('v1,')).map((one) => bytesOf(one.slice(3)));
  const verdicts = given.flatMap((signature) =>
    keys.map((key) => signature && crypto.subtle.verify('HMAC', key, signature, signed)),
  );
  return (await Promise.all(verdicts)).includes(true);
}

type Bytes = Uint8Array<ArrayBuffer>;
type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('a webhook secret is whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** @returns the bytes, or undefined for invalid base64 */
function bytesOf(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function header(headers: ReceivedWebhook['headers'], name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  // Repeated signatures are one list, as the service sends them.
  const text = [value ?? ''].flat().join(' ');
  if (text === '') throw new WebhookVerificationError(`there is no ${name} header`);
  return text;
}

/** Fetch's headers may be another implementation's, whose class is not the platform's. */
function isHeaders(headers: ReceivedWebhook['headers']): headers is Headers {
  return typeof headers.get === 'function';
}

function join(first: Uint8Array, second: Uint8Array): Bytes {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
