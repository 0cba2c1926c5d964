import validator from 'validator';
import type { AddressPolicy } from './addresses.ts';

export interface WebhookUrlRules {
  policy: AddressPolicy;
  /** True if private receivers are configured; only then may a host be a name without a dot. */
  allowPrivate: boolean;
  /** False if webhooks go by https alone. */
  allowHttp: boolean;
}

/**
 * @returns whether the text of a webhook URL is acceptable at a payment's creation (Contract: validation).
 *
 * - It is an absolute http or https URL (https alone where `allowHttp` is false) for the `validator` package and the WHATWG parser.
 * - It has no user, password or control characters, a port from 1 to 65535 if any, and at most 2084 characters.
 * - Its host is no forbidden IP literal in any spelling. The sender judges the addresses of names at connection time.
 */
export function isAcceptableWebhookUrl(url: string, rules: WebhookUrlRules): boolean {
  const { policy, allowPrivate, allowHttp } = rules;
  if (!/^https?:\/\/[^/\\]/i.test(url)) return false;
  if (/\p{Cc}/u.test(url) || !url.isWellFormed()) return false;
  const isUrl = validator.isURL(url, {
    protocols: allowHttp ? ['http', 'https'] : ['https'],
    require_protocol: true,
    require_tld: !allowPrivate,
    disallow_auth: true,
  });
  if (!isUrl || !URL.canParse(url)) return false;
  const { username, password, port, hostname } = new URL(url);
  return username === '' && password === '' && port !== '0' && policy.allowsHostname(hostname);
}
