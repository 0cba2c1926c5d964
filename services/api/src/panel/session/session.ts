import { hkdfSync } from 'node:crypto';
import { isId, newId } from '@payments/domain/identifiers';

/** A session of the panel. The signed cookie holds all of it, so that any replica can read it. */
export type Session = {
  id: string;
  since: Date;
  /** The person's name, as typed; null if empty. */
  name: string | null;
};

/** The longest duration of a session. */
export const sessionMs = 8 * 60 * 60_000;
// Replicas' clocks differ a little, so a session may seem to begin in the future.
const clockSkewMs = 60_000;

/**
 * @returns a key for one purpose, derived from the admin key: changing the admin key ends every session
 */
export function keyFor(purpose: string, adminKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', adminKey, 'panel', purpose, 32));
}

export function newSession(now: Date, name: string | null): Session {
  return { id: newId(), since: now, name };
}

/** @returns the end of a session without a sign-out */
export function endOf({ since }: Session): Date {
  return new Date(since.getTime() + sessionMs + clockSkewMs);
}

/** @returns the cookie's content, before signing */
export function writeSession({ id, since, name }: Session): string {
  return `${id}.${since.getTime()}.${Buffer.from(name ?? '').toString('base64url')}`;
}

/** @returns the session of a cookie with a valid signature, or undefined after its end */
export function readSession(value: string, now: Date): Session | undefined {
  const [, id = '', time = '', name = ''] = /^([0-9a-f-]{36})\.(\d{1,15})\.([\w-]*)$/.exec(value) ?? [];
  const age = now.getTime() - Number(time);
  if (!isId(id) || age <= -clockSkewMs || age >= sessionMs) return undefined;
  return { id, since: new Date(Number(time)), name: Buffer.from(name, 'base64url').toString() || null };
}
