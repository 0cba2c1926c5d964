import type { LookupAddress } from 'node:dns';
import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import pLimit, { type LimitFunction } from 'p-limit';

/** @returns a name's addresses; rejects with an error that has a code */
export type NameLookup = (name: string) => Promise<LookupAddress[]>;

/**
 * `getaddrinfo` blocks one of Node's four threads, so few lookups run, and few wait. A name that DNS did not answer may
 * block its thread for ten seconds, so all such names share one of the two places.
 */
const SYSTEM_LOOKUPS = { running: 2, unanswered: 1, waiting: 256 };

/**
 * A lookup in which slow name servers don't block other names: it queries DNS without a thread, for a few seconds
 * at most. The system looks up names without a dot, and names that DNS does not know (hosts file, search domains), a
 * few at a time. Names that DNS does not answer don't block the names that the system looks up. IPv4 addresses come first.
 *
 * Error codes: `ENOTFOUND`, `ENODATA` (the name has no address) and `EAI_AGAIN`.
 * @param servers name servers as `address` or `address:port`; the system's by default
 * @param timeoutMs for one query to one server
 * @param askSystem the system's lookup
 */
export function createNameLookup(
  servers?: readonly string[],
  timeoutMs = 2_000,
  askSystem: NameLookup = (name) => systemLookup(name, { all: true }),
): NameLookup {
  const resolver = new Resolver({ timeout: timeoutMs, maxTimeout: timeoutMs, tries: 2 });
  if (servers) resolver.setServers(servers);
  const running = pLimit(SYSTEM_LOOKUPS.running);
  const unanswered = pLimit(SYSTEM_LOOKUPS.unanswered);

  const fromSystem: NameLookup = (name) => inTurn(running, name, askSystem);
  const fromSystemOneByOne: NameLookup = (name) => inTurn(unanswered, name, fromSystem);

  return async (name) => {
    if (!name.includes('.')) return fromSystem(name);
    try {
      return await fromDns(resolver, name);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENODATA') throw error;
      const lookup = code === 'ENOTFOUND' ? fromSystem : fromSystemOneByOne;
      return lookup(name).catch(() => Promise.reject(error));
    }
  };
}

async function inTurn(queue: LimitFunction, name: string, lookup: NameLookup): Promise<LookupAddress[]> {
  if (queue.pendingCount >= SYSTEM_LOOKUPS.waiting) throw lookupError('EAI_AGAIN', name);
  return queue(() => lookup(name));
}

async function fromDns(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = results.flatMap((result, i) =>
    result.status === 'fulfilled'
      ? result.value.map((address) => ({ address, family: i === 0 ? 4 : 6 }))
      : [],
  );
  if (addresses.length > 0) return addresses;
  const codes = results.map((result) => (result.status === 'rejected' ? codeOf(result.reason) : 'ENODATA'));
  if (codes.some((code) => code !== 'ENOTFOUND' && code !== 'ENODATA')) throw lookupError('EAI_AGAIN', name);
  throw lookupError(codes.includes('ENOTFOUND') ? 'ENOTFOUND' : 'ENODATA', name);
}

function lookupError(code: string, name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code} ${name}`), { code });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
