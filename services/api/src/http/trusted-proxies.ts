import { isIP } from 'node:net';
import { ConfigurationError } from '@payments/runtime/environment';

/** The proxies whose `X-Forwarded-*` headers are trusted, as Fastify's `trustProxy`; false trusts none. */
export type TrustedProxies = false | string[] | ((address: string, hop: number) => boolean);

/**
 * Reads `TRUST_PROXY`: addresses and CIDRs, or a number of hops.
 * @throws ConfigurationError with the variable's name, for any other entry
 */
export function trustedProxies(text = ''): TrustedProxies {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const [first] = entries;
  if (first === undefined) return false;
  // Fastify trusts no proxy if it gets a bare number.
  if (entries.length === 1 && /^\d{1,3}$/.test(first)) return (_address, hop) => hop < Number(first);
  const wrong = entries.find((entry) => !isAddressOrCidr(entry));
  if (wrong !== undefined)
    throw new ConfigurationError(
      `TRUST_PROXY: "${wrong}" is neither an address, nor a CIDR such as 10.0.0.0/8, nor a number of hops`,
    );
  return entries;
}

function isAddressOrCidr(entry: string): boolean {
  const [, address = '', prefix] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(entry) ?? [];
  const family = isIP(address);
  if (family === 0 || prefix === undefined) return family !== 0;
  return Number(prefix) >= 1 && Number(prefix) <= (family === 4 ? 32 : 128);
}
