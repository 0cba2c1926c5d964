import { hkdfSync } from 'node:crypto';

/** @returns a key for one purpose: another secret makes what it signed or encrypted worthless */
export function keyFor(purpose: string, secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'panel', purpose, 32));
}
