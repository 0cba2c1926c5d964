import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** The addresses to which webhooks may be sent. */
export interface AddressPolicy {
  /** True if a connection to this address, from a lookup or a socket, is allowed. */
  allows(ip: string): boolean;
  /**
   * True if a connection to this host may be tried. False for an IP literal that is not allowed, in any spelling (hex,
   * octal, one integer, full-width digits …), and for an invalid host. True for a name: `allows` judges its addresses.
   */
  allowsHostname(hostname: string): boolean;
}

/** Internal ranges (RFC 6890). An IPv4 entry also covers its IPv4-mapped IPv6 form. */
const INTERNAL = subnets([
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by a carrier
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a public address that on Azure is the host's own control service
  '169.254.0.0/16', // link-local, the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // Teredo and other protocol assignments
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
]);

/**
 * Global unicast, and IPv4-mapped. Other IPv6 is internal, or hides an IPv4 address from the IPv4 rules:
 * IPv4-compatible, translated, NAT64.
 */
const GLOBAL_IPV6 = subnets(['2000::/3', '::ffff:0:0/96']);

/**
 * @param allowPrivate CIDRs that are allowed beside public addresses
 * @param deny CIDRs that are refused even if public or allowed
 * @returns the policy; an IPv4 CIDR also covers the IPv4-mapped IPv6 form
 * @throws TypeError that names the entry that is not a CIDR
 */
export function createAddressPolicy(
  allowPrivate: readonly string[],
  deny: readonly string[] = [],
): AddressPolicy {
  const allowed = subnets(allowPrivate);
  const denied = subnets(deny);
  const allows = (ip: string): boolean => {
    const family = isIP(ip);
    if (family === 0) return false;
    const [address = '', zone] = ip.split('%');
    if (denied.check(address, family === 4 ? 'ipv4' : 'ipv6')) return false;
    if (allowed.check(address, family === 4 ? 'ipv4' : 'ipv6')) return true;
    // A zone id names an interface of this machine, so the address is not on the internet.
    if (zone !== undefined) return false;
    return family === 4
      ? !INTERNAL.check(address)
      : GLOBAL_IPV6.check(address, 'ipv6') && !INTERNAL.check(address, 'ipv6');
  };
  return { allows, allowsHostname: (hostname) => allowsHostname(hostname, allows) };
}

function allowsHostname(hostname: string, allows: (ip: string) => boolean): boolean {
  const literal = withoutBrackets(hostname);
  if (isIP(literal) !== 0) return allows(literal);
  const host = withoutBrackets(domainToASCII(hostname));
  return isIP(host) === 0 ? host !== '' : allows(host);
}

function subnets(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [, network = '', prefix = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(cidr) ?? [];
    const family = isIP(network);
    const bits = Number(prefix);
    if (family === 0 || bits > (family === 4 ? 32 : 128)) {
      throw new TypeError(`"${cidr}" is not a CIDR such as 10.0.0.0/8 or fd00::/8`);
    }
    list.addSubnet(network, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
