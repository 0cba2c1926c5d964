import { hkdfSync } from 'node:crypto';
import { isId, newId } from '@payments/domain/identifiers';

/** Someone who signed in to the panel. All of it is in their signed cookie, so that any replica knows it. */
export type Session = {
  id: string;
  since: Date;
  /** As they call themselves: administrators share one key. Null where they did not say. */
  name: string | null;
};

/** How long a session lasts at most. */
export const sessionMs = 8 * 60 * 60_000;
// Replicas' clocks differ a little: a session may seem to begin in a moment.
const clockSkewMs = 60_000;

/**
 * @returns a key that only who knows the admin key can make, for one purpose: another admin key ends every session
 */
export function keyFor(purpose: string, adminKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', adminKey, 'panel', purpose, 32));
}

export function newSession(now: Date, name: string | null): Session {
  return { id: newId(), since: now, name };
}

/** @returns when a session is over, if nobody signs out before */
export function endOf({ since }: Session): Date {
  return new Date(since.getTime() + sessionMs + clockSkewMs);
}

/** @returns what the cookie holds, to be signed */
export function writeSession({ id, since, name }: Session): string {
  return `${id}.${since.getTime()}.${Buffer.from(name ?? '').toString('base64url')}`;
}

/** @returns the session of a cookie whose signature was found good, or undefined once it has ended */
export function readSession(value: string, now: Date): Session | undefined {
  const [, id = '', time = '', name = ''] = /^([0-9a-f-]{36})\.(\d{1,15})\.([\w-]*)$/.exec(value) ?? [];
  const age = now.getTime() - Number(time);
  if (!isId(id) || age <= -clockSkewMs || age >= sessionMs) return undefined;
  return { id, since: new Date(Number(time)), name: Buffer.from(name, 'base64url').toString() || null };
}
