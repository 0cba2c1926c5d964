import { listOf, readPix } from './answers.ts';
import { isObject } from './json.ts';
import type { ReceivedPix } from './types.ts';

/**
 * What a PSP's callback tells, `{pix: [...]}`: Pix that arrived, and in their `refunds` those that settled.
 * Entries that can't be read are left out, and it never throws. Nobody vouches for its content: it says which
 * charges to read from the PSP, not what happened to them.
 */
export function readCallback(body: unknown): ReceivedPix[] {
  return listOf(isObject(body) ? body.pix : undefined).flatMap(readable);
}

function readable(entry: unknown): ReceivedPix[] {
  try {
    return [readPix(entry)];
  } catch {
    return withoutRefunds(entry);
  }
}

/** A refund that can't be read must not hide its Pix. */
function withoutRefunds(entry: unknown): ReceivedPix[] {
  try {
    return isObject(entry) ? [readPix({ ...entry, devolucoes: [] })] : [];
  } catch {
    return [];
  }
}
