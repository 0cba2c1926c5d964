import { hash, randomUUID } from 'node:crypto';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const hexOfUuid7 = /^([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/i;

// Of the last id: its milliseconds, and its place among those of the same one.
let lastMs = 0;
let place = 0;
const placesPerMs = 4_096;

/**
 * @returns a new UUIDv7: ordered by creation time, so that newest first is an index read backwards; those of one process
 *   and one millisecond in their order (RFC 9562 §6.2, method 1), and 62 bits at random
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) [lastMs, place] = [now, 0];
  else place += 1;
  if (place === placesPerMs) [lastMs, place] = [lastMs + 1, 0];
  const ms = lastMs.toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${place.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}

/** @returns when an id was made: the first 48 bits of a UUIDv7 are milliseconds (RFC 9562 §5.7) */
export function createdAtOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** @returns whether a path or query value can be an id at all */
export function isId(value: string): boolean {
  return uuid.test(value);
}

/** @returns the payment's txid at the PSP: its id without dashes, 32 of the allowed 26 to 35 characters (API Pix 2.9) */
export function txidOf(paymentId: string): string {
  return paymentId.replaceAll('-', '');
}

/** @returns the payment's id for a txid of ours, or undefined for a charge that is not ours */
export function paymentIdOf(txid: string): string | undefined {
  const groups = hexOfUuid7.exec(txid);
  return groups ? groups.slice(1).join('-').toLowerCase() : undefined;
}

/**
 * @param ordinal counts the refunds that the service orders of a Pix, from 1
 * @returns the refund's id at the PSP, the same for the same Pix and ordinal: a database that was restored orders the
 *   refund under the id that the PSP knows (API Pix 2.9, `[a-zA-Z0-9]{1,35}`)
 */
export function refundIdOf(endToEndId: string, ordinal: number): string {
  return hash('sha256', `${endToEndId}/${ordinal}`, 'hex').slice(0, 32);
}

/** @returns the lowest UUIDv7 of a moment: ids made since are not below it */
export function firstIdOf(moment: Date): string {
  const ms = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}
