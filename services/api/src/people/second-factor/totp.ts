import { randomBytes } from 'node:crypto';

// Loaded at first use: most starts never need it.
const library = () => import('otpauth');

const issuer = 'Pagamentos';
const periodMs = 30_000;
const secretBytes = 20;

/** What an authenticator app needs: the address in the QR code, and the secret to type instead. */
export type Enrolment = { url: string; base32: string };

export function newTotpSecret(): Buffer {
  return randomBytes(secretBytes);
}

export async function enrolmentOf(secret: Buffer, email: string): Promise<Enrolment> {
  const { TOTP, Secret } = await library();
  const key = new Secret({ buffer: Uint8Array.from(secret).buffer });
  return { url: new TOTP({ issuer, label: email, secret: key }).toString(), base32: key.base32 };
}

/**
 * @returns the time step of a right code: the current one, or one beside it for clocks that differ (RFC 6238 §5.2);
 *   undefined for a wrong code
 */
export async function stepOf(code: string, secret: Buffer, now: Date): Promise<number | undefined> {
  if (!/^\d{6}$/.test(code)) return undefined;
  const { TOTP, Secret } = await library();
  const totp = new TOTP({ secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: 1 });
  return delta === null ? undefined : Math.floor(now.getTime() / periodMs) + delta;
}
