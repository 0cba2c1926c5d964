import { readEntries } from './answers.ts';
import { isObject } from './json.ts';
import type { PixEntries } from './types.ts';

/**
 * Reads a PSP's callback, `{pix: [...]}`: Pix that arrived, and in their `refunds` those that settled. It never throws.
 * Anyone may send a callback, so it only names charges to read from the PSP.
 */
export function readCallback(body: unknown): PixEntries {
  return readEntries(isObject(body) ? body.pix : undefined);
}
