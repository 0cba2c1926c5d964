import { hkdfSync } from 'node:crypto';

/** @returns a key for one purpose, derived from the admin key: another admin key makes every cookie worthless */
export function keyFor(purpose: string, adminKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', adminKey, 'panel', purpose, 32));
}
