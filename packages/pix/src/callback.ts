import { createHmac } from 'node:crypto';
import { withoutEndSlashes } from '@payments/runtime/addresses';
import { listOf, readEntries } from './answers.ts';
import { isObject, type JsonObject, textOf } from './json.ts';
import type { PixEntries } from './types.ts';

/**
 * Reads a PSP's callback, `{pix: [...]}`: Pix that arrived, and in their `refunds` those that settled. A list of these, a
 * list of Pix, a Pix alone and a whole charge are read, too. It never throws. Anyone may send a callback, so it only names
 * charges to read from the PSP.
 */
export function readCallback(body: unknown): PixEntries {
  const parts = listOf(body).filter(isObject);
  return readEntries(parts.flatMap((one) => pixOf(one) ?? (isPix(one) ? [one] : [])));
}

/** @returns the Pix of a charge or of the body itself; undefined without any. Those of a charge may leave its txid to it */
function pixOf({ pix, txid }: JsonObject): unknown[] | undefined {
  if (!Array.isArray(pix) && !isObject(pix)) return undefined;
  const named = (one: unknown) => (isObject(one) ? { ...one, txid: textOf(one.txid)?.trim() || txid } : one);
  return listOf(pix).map(named);
}

/** A Pix may name no charge, as one without it in a list does. */
const isPix = (one: object) => 'txid' in one || 'endToEndId' in one;

/**
 * @returns the secret part of a bank's callback path: the same on every replica, and nothing more to configure. Two banks
 * with one secret have different paths
 */
export function callbackSecretOf(bank: string, secret: string): string {
  return createHmac('sha256', secret).update(`pix-callback ${bank}`).digest('base64url');
}

/** The registered path. Most banks add `/pix` to it (API Pix 2.9, `PUT /webhook/{chave}`), some do not. */
export function callbackPath(secret: string): string {
  return `/pix-callback/${secret}`;
}

/** @param base of the service as the bank reaches it */
export function callbackUrlOf(base: string, secret: string): string {
  return `${withoutEndSlashes(base)}${callbackPath(secret)}`;
}
