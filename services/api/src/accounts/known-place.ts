import { isIPv6 } from 'node:net';
import type { Counter } from '@payments/database/people/sign-in-attempts';
import { freeFailures } from '@payments/domain/sign-in-wait';
import { hashOf } from './secret-token.ts';

/** Who tries to sign in, and from where. */
export type Attempt = {
  /** As typed. */
  email: string;
  address: string;
  /** The secret of the browser's cookie; undefined in a browser that never signed in. */
  browser: string | undefined;
};

export type Places = { address: Buffer; browser: Buffer | undefined };

/** @returns the keys under which the account's places are known */
export function placesOf({ email, address, browser }: Attempt): Places {
  const person = folded(email);
  return {
    address: hashOf('address', person, networkOf(address)),
    browser: browser === undefined ? undefined : hashOf('browser', person, browser),
  };
}

/**
 * Failures are counted per account and place, so that nobody elsewhere slows down a person in a known place. Unknown
 * places share one count of the account, and each address has one of its own.
 * @param purpose what is guessed
 */
export function countersOf(
  attempt: Attempt,
  known: readonly Buffer[],
  purpose: 'password' | 'second factor',
): { own: Counter; shared: Counter | undefined } {
  const { address, browser } = placesOf(attempt);
  const isKnown = (place: Buffer | undefined) => place && known.some((one) => one.equals(place));
  const person = folded(attempt.email);
  const place = [browser, address].find(isKnown);
  const key = hashOf(purpose, person, place?.toString('hex') ?? 'unknown places');
  const own = { key, free: freeFailures.person };
  if (place) return { own, shared: undefined };
  const shared = { key: hashOf('address', networkOf(attempt.address)), free: freeFailures.address };
  return { own, shared };
}

const folded = (email: string) => email.trim().toLowerCase();

/** @returns the address, or the /64 of an IPv6 address: one customer has all of it */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [before = '', after = ''] = address.split('::');
  const [head, tail] = [before, after].map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head!.length - tail!.length)).fill('0');
  const groups = [...head!, ...zeros, ...tail!];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
