import { isIPv4 } from 'node:net';

/** The addresses that settings have. */

/** @param host a name or address as in a URL, IPv6 in brackets or not */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.+)\]$/, '$1');
  const isLoopback = name === '::1' || (isIPv4(name) && name.startsWith('127.'));
  return isLoopback || name === 'localhost' || name.endsWith('.localhost');
}

/** @returns a base address that paths can follow: without slashes at its end */
export function withoutEndSlashes(url: string): string {
  // Only the first of them may begin the match, or a run of slashes inside would be quadratic.
  return url.replace(/(?<!\/)\/+$/, '');
}
