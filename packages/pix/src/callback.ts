import { listOf, readPix } from './answers.ts';
import { isObject } from './json.ts';
import type { ReceivedPix } from './types.ts';

/**
 * Reads a PSP's callback, `{pix: [...]}`: Pix that arrived, and in their `refunds` those that settled. It leaves out
 * unreadable entries and never throws. Anyone may send a callback, so it only names charges to read from the PSP.
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
