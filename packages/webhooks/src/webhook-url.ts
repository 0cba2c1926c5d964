import validator from 'validator';
import type { AddressPolicy } from './addresses.ts';

export interface WebhookUrlRules {
  policy: AddressPolicy;
  /** Whether private receivers are configured at all; only then may a host be a name without a dot. */
  allowPrivate: boolean;
}

/**
 * Whether a webhook URL is acceptable as far as its text tells, for the moment a payment is created
 * (Contract: validation): absolute http or https, a URL to both the `validator` package and the WHATWG parser,
 * a port from 1 to 65535 if any, no user or password, no control characters, at most 2084 characters, and no
 * IP literal that the policy forbids, however it is spelled. Names are not resolved here: the sender judges
 * every address at connection time.
 */
export function isAcceptableWebhookUrl(url: string, { policy, allowPrivate }: WebhookUrlRules): boolean {
  if (!/^https?:\/\/[^/\\]/i.test(url)) return false;
  if (/\p{Cc}/u.test(url) || !url.isWellFormed()) return false;
  const isUrl = validator.isURL(url, {
    protocols: ['http', 'https'],
    require_protocol: true,
    require_tld: !allowPrivate,
    disallow_auth: true,
  });
  if (!isUrl || !URL.canParse(url)) return false;
  const { username, password, port, hostname } = new URL(url);
  return username === '' && password === '' && port !== '0' && policy.allowsHostname(hostname);
}
