import { createHash } from 'node:crypto';
import type { FeedPlace } from '@payments/database/events/feed';

/** Where a reader of a store's feed is: after this place, and without what occurred before `from`. */
export type Cursor = FeedPlace & { from?: Date | undefined };

// place 8, sequence 4, id 16, from 8, and the check.
const contentBytes = 36;
const checkBytes = 4;
const noTime = -1n;

/**
 * @returns a cursor as the store gets it. Nobody but this store can use it, and a changed or cut one is noticed; it
 * holds no secret
 */
export function writeCursor(storeId: string, { place, sequence, id, from }: Cursor): string {
  const content = Buffer.alloc(contentBytes);
  content.writeBigInt64BE(BigInt(place), 0);
  content.writeInt32BE(sequence, 8);
  content.write(id.replaceAll('-', ''), 12, 'hex');
  content.writeBigInt64BE(from === undefined ? noTime : BigInt(from.getTime()), 28);
  return Buffer.concat([content, checkOf(storeId, content)]).toString('base64url');
}

/** @returns the cursor; undefined for a text that is none, or another store's */
export function readCursor(storeId: string, text: string): Cursor | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== contentBytes + checkBytes || bytes.toString('base64url') !== text) return undefined;
  const content = bytes.subarray(0, contentBytes);
  if (!checkOf(storeId, content).equals(bytes.subarray(contentBytes))) return undefined;
  const time = content.readBigInt64BE(28);
  return {
    place: content.readBigInt64BE(0).toString(),
    sequence: content.readInt32BE(8),
    id: content.toString('hex', 12, 28).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    from: time === noTime ? undefined : new Date(Number(time)),
  };
}

function checkOf(storeId: string, content: Buffer): Buffer {
  return createHash('sha256').update(storeId).update(content).digest().subarray(0, checkBytes);
}
