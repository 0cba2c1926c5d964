import { isIPv4 } from 'node:net';

/** @param host a name or address as in a URL, IPv6 in brackets or not */
export function isThisMachine(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.+)\]$/, '$1');
  const isLoopback = name === '::1' || (isIPv4(name) && name.startsWith('127.'));
  return isLoopback || name === 'localhost' || name.endsWith('.localhost');
}
