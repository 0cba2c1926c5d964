import { hash, randomUUID } from 'node:crypto';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const hexOfUuid7 = /^([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/i;

// The last id's milliseconds, and its number within them.
let lastMs = 0;
let place = 0;
const placesPerMs = 4_096;
const setBackMs = 1_000;

/**
 * @param at the creation time by the service's clock
 * @returns a new UUIDv7, ordered by creation time. Ids that a process makes in one millisecond keep their order (RFC
 * 9562 §6.2, method 1); 62 bits are random
 */
export function newId(at: Date = new Date()): string {
  const now = at.getTime();
  if (now > lastMs || now < lastMs - setBackMs) [lastMs, place] = [now, 0];
  else place += 1;
  if (place === placesPerMs) [lastMs, place] = [lastMs + 1, 0];
  const ms = lastMs.toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${place.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
}

/** @returns the creation time of an id: the first 48 bits of a UUIDv7 are milliseconds (RFC 9562 §5.7) */
export function createdAtOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** @returns whether a path or query value has the form of an id */
export function isId(value: string): boolean {
  return uuid.test(value);
}

/**
 * @returns the payment's txid at the PSP: its id without dashes, 32 characters of the allowed 26 to 35 (API Pix 2.9)
 */
export function txidOf(paymentId: string): string {
  return paymentId.replaceAll('-', '');
}

/** @returns the payment's id for our txid, or undefined for another system's charge */
export function paymentIdOf(txid: string): string | undefined {
  const groups = hexOfUuid7.exec(txid);
  return groups ? groups.slice(1).join('-').toLowerCase() : undefined;
}

/**
 * @param known the endToEndIds on record
 * @returns the endToEndId under which a Pix is on record, since a bank may change its case; `id` itself for a new Pix
 */
export function knownAs(id: string, known: readonly string[]): string {
  if (known.includes(id)) return id;
  return known.find((one) => one.toUpperCase() === id.toUpperCase()) ?? id;
}

/**
 * @param ordinal counts the service's refunds of a Pix, from 1
 * @returns the refund's id at the PSP (API Pix 2.9, `[a-zA-Z0-9]{1,35}`). It follows from Pix and ordinal, so that a
 * restored database uses the id that the PSP knows
 */
export function refundIdOf(endToEndId: string, ordinal: number): string {
  return hash('sha256', `${endToEndId}/${ordinal}`, 'hex').slice(0, 32);
}

const refundIdForm = /^[0-9a-f]{32}$/;
// More orders than any Pix has. A restored database may lack also those that the bank refused and never shows.
const mostOrdinals = 100;

/** @returns the ordinal of our refund with this id, which a restored database may lack; null for the bank's */
export function refundOrdinalOf(endToEndId: string, id: string): number | null {
  if (!refundIdForm.test(id)) return null;
  for (let ordinal = 1; ordinal <= mostOrdinals; ordinal += 1) {
    if (refundIdOf(endToEndId, ordinal) === id) return ordinal;
  }
  return null;
}

/**
 * @param ordinal the number of the status among the payment's statuses, from 1; for another event, how often the payment
 * had one like it before. What else a restored database tells in between changes neither
 * @param essence what this event says, apart from its time: for a status, that status
 * @returns the event's id, a UUIDv8 (RFC 9562 §5.8). It follows from the event's content, so that a restored database
 * sends the same event under the id that its receiver knows, and another event under another. The payment's time comes
 * first, to keep the index of ids local
 */
export function eventIdOf(paymentId: string, ordinal: number, essence: string): string {
  const digest = hash('sha256', `${paymentId}/${ordinal}/${essence}`, 'hex');
  const place = (ordinal % placesPerMs).toString(16).padStart(3, '0');
  return `${paymentId.slice(0, 14)}8${place}-8${digest.slice(0, 3)}-${digest.slice(3, 15)}`;
}

/** @returns the lowest UUIDv7 of a moment */
export function firstIdOf(moment: Date): string {
  const ms = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}
