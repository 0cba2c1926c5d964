import { createHmac } from 'node:crypto';

/** @returns the secret part of the callback's path: the same on every replica, and nothing more to configure */
export function callbackSecretOf(clientSecret: string): string {
  return createHmac('sha256', clientSecret).update('pix-callback').digest('base64url');
}

/** The path that the bank is told. Most banks add `/pix` to it (API Pix 2.9, `PUT /webhook/{chave}`), some do not. */
export function callbackPath(secret: string): string {
  return `/pix-callback/${secret}`;
}

/** @param base of the service as the bank reaches it */
export function callbackUrlOf(base: string, secret: string): string {
  return `${base.replace(/\/+$/, '')}${callbackPath(secret)}`;
}
