import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/**
 * Verifies a webhook.
 * @param secret the store's, `whsec_…`
 * @param headers with names in lower case, as Node gives them
 * @param body the text exactly as it was received: parse it only afterwards
 * @returns the event; `headers['webhook-id']` says whether you have had it already
 * @throws when it is not the service's, was changed on its way, or is more than five minutes old
 */
export function verifyWebhook(
  secret: string,
  headers: Record<string, string | string[] | undefined>,
  body: string,
): unknown {
  const id = headers['webhook-id'];
  const timestamp = Number(headers['webhook-timestamp']);
  const signatures = String(headers['webhook-signature']).split(' ');
  // Written so that a timestamp that is no number is refused, too.
  const isRecent = Math.abs(Date.now() / 1_000 - timestamp) <= toleranceSeconds;
  if (!isRecent) throw new Error('The webhook is too old, or its timestamp is missing.');

  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  // Anyone could sign with an empty key.
  if (key.length === 0) throw new Error('The secret is missing.');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // While a secret is being rotated there are two signatures: either will do.
  const isGenuine = signatures
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  if (!isGenuine) throw new Error('The signature is wrong.');
  return JSON.parse(body);
}
