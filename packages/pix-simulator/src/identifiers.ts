import { randomInt } from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Numbers that no participant of Pix has. */
const PAYER_ISPB = '99999004';
const RECEIVER_ISPB = '99999003';

export function randomAlphanumeric(length: number): string {
  return Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('');
}

/** E, the payer's ISPB, the minute in UTC (yyyyMMddHHmm), eleven more: 32 characters (SPI). */
export function newEndToEndId(now: number): string {
  return `E${PAYER_ISPB}${minuteOf(now)}${randomAlphanumeric(11)}`;
}

/** The same form with a D, of the receiver's bank, which sends the money back. */
export function newReturnId(now: number): string {
  return `D${RECEIVER_ISPB}${minuteOf(now)}${randomAlphanumeric(11)}`;
}

function minuteOf(now: number): string {
  return new Date(now).toISOString().slice(0, 16).replace(/\D/g, '');
}
