import { randomUUID } from 'node:crypto';
import { type PathName, type Profile, standardPaths } from './profiles/profile.ts';

/** One of the bank's paths. `bankSide` is the simulated bank's other side, the same wherever its API Pix is. */
export type Place = PathName | 'bankSide';

/** The addresses of one bank's calls, and their headers besides the token. */
export type Addressing = {
  /** `rest` follows the operation's path, with a query of its own or without. */
  address(at: Place, rest: string): { origin: string; path: string };
  headers(): Record<string, string>;
  callbackHeaders(): Record<string, string>;
};

export type AddressingValues = {
  clientId: string;
  appKey?: string | undefined;
  account?: string | undefined;
};

/** @param base without a slash at its end */
export function createAddressing(base: string, profile: Profile, values: AddressingValues): Addressing {
  const query = new URLSearchParams(filled(profile.query, values)).toString();
  const paths: Record<Place, string> = { ...standardPaths, ...profile.paths, bankSide: '/bank' };
  const addressOf = (at: Place) => {
    const { origin, pathname } = new URL(paths[at], `${base}/`);
    return { origin, pathname };
  };
  const addresses = new Map((Object.keys(paths) as Place[]).map((at) => [at, addressOf(at)]));
  return {
    address(at, rest) {
      const { origin, pathname } = addresses.get(at)!;
      const path = pathname + rest;
      return { origin, path: query ? `${path}${rest.includes('?') ? '&' : '?'}${query}` : path };
    },
    headers: () => filled(profile.headers, values),
    callbackHeaders: () => filled(profile.callbackHeaders, values),
  };
}

/** Leaves out a header or parameter whose value is not given. */
function filled(fields: Readonly<Record<string, string>>, values: AddressingValues): Record<string, string> {
  const given = (field: string) =>
    field === 'uuid' ? randomUUID() : (values[field as keyof AddressingValues] ?? '');
  const known = Object.entries(fields).flatMap(([name, text]) => {
    const value = text.replace(/^\{(\w+)\}$/, (_, field: string) => given(field));
    return value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(known);
}
