import { randomBytes } from 'node:crypto';
import type { AccountWithSecrets } from '@payments/database/accounts/accounts';
import {
  acceptStep,
  claimCode,
  deleteRecoveryCode,
  everyTotpSecret,
  forgetWrongCodes,
  replaceTotpSecret,
} from '@payments/database/accounts/second-factor';
import type { Database } from '@payments/database/connection';
import { type Author, changeOnRecord, recordChange } from '@payments/database/record/changes';
import { decrypt, encrypt, keyRing, type SealingKeys, sealIn } from '@payments/database/secret-box';
import type { StoredSecrets } from '@payments/startup/stored-secrets';
import { hashOf, keyFor } from '../../access/secrets.ts';
import type { PeopleContext } from '../../context.ts';
import { countTry, inTurn, type SignInAttempt } from '../sign-in/known-place.ts';

/** The secrets of second factors: of authenticator apps (TOTP), how they are sealed, and recovery codes. */

// Loaded at first use: most starts never need it.
const library = () => import('otpauth');

const issuer = 'Pagamentos';
const periodMs = 30_000;
const secretBytes = 20;

/** An authenticator app needs this: the address in the QR code, or the secret to type instead. */
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

/** The keys of second factors: there is always one that seals, `SECRETS_KEY` or else `ADMIN_KEY`. */
export type FactorKeys = SealingKeys & { current: string };

const sealingKey = (key: string) => keyFor('second factor', key);

/** @param owner the account that the secret is of: nobody can use it for another */
export function seal(secret: Buffer, owner: string, { current }: FactorKeys): Buffer {
  return encrypt(sealingKey(current), secret, owner);
}

/** @returns the secret, or undefined if it was sealed for another account or with an unknown key */
export function unseal(sealed: Buffer, owner: string, keys: FactorKeys): Buffer | undefined {
  return decrypt(keyRing(keys, sealingKey).all, sealed, owner);
}

/** The second factors of accounts, to be opened at the start. */
export function storedFactors(db: Database, keys: FactorKeys): StoredSecrets {
  const ring = keyRing(keys, sealingKey);
  return {
    name: 'of second factors',
    async *every() {
      for await (const { id, stored } of everyTotpSecret(db)) {
        const sealAnew = async () => {
          const secret = decrypt(ring.all, stored, id);
          if (secret) await replaceTotpSecret(db, id, { was: stored, becomes: seal(secret, id, keys) });
        };
        yield { seal: sealIn(ring, stored, id), sealAnew };
      }
    },
  };
}

const recoveryCodes = 10;
// Letters and digits that nobody confuses on paper.
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** @returns ten codes of 80 bits, `xxxx-xxxx-xxxx-xxxx`; each replaces the second factor once */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const text = [...randomBytes(16)].map((byte) => alphabet[byte % 32]).join('');
    return text.match(/.{4}/g)!.join('-');
  });
}

/** @returns the hash under which a code is stored, however it is typed */
export function recoveryCodeHash(accountId: string, code: string): Buffer {
  return hashOf('recovery code', accountId, code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
}

type Context = Pick<PeopleContext, 'sealingKeys' | 'db' | 'now' | 'signInTurns'>;
/** `isProof`: an open session is asked again; whoever uses it need not know the password. */
type Given = { code: string; attempt: SignInAttempt; by: Author; isProof?: boolean };

/** A guesser who gets this far knows the password, and three of a million codes are right at any moment. */
const wrongCodesAtMost = 20;

/**
 * Judges a code of the person's app, or a recovery code. Each is accepted once. After twenty wrong ones in a row those of
 * the app are accepted no more, until a recovery code or a new invitation: a guesser must not go on for ever. Wrong ones
 * at a proof only wait: whoever finds a session open could otherwise shut its person out.
 * @returns whether it is right, the milliseconds to wait, or `stopped`
 */
export function checkSecondFactor(
  context: Context,
  account: AccountWithSecrets,
  given: Given,
): Promise<boolean | 'stopped' | { waitMs: number }> {
  return inTurn(context, given.attempt, () => judgeSecondFactor(context, account, given));
}

async function judgeSecondFactor(
  context: Context,
  account: AccountWithSecrets,
  { code, attempt, by, isProof = false }: Given,
): Promise<boolean | 'stopped' | { waitMs: number }> {
  const { db, now } = context;
  const { id, storeId } = account;
  const { waitMs, forgive } = await countTry(context, attempt, 'second factor');
  if (waitMs > 0) return { waitMs };
  const isStopped = account.wrongCodes >= wrongCodesAtMost;
  const uncounted = isStopped ? undefined : 0;
  const wrong = isProof ? uncounted : await claimCode(db, id, wrongCodesAtMost);
  const isRight =
    (wrong !== undefined && (await isCode(context, account, code))) ||
    (await isRecoveryCode(context, account, code, by));
  if (isRight) {
    await Promise.all([forgive(), forgetWrongCodes(db, id)]);
    return true;
  }
  if (wrong === wrongCodesAtMost)
    await recordChange(db, by, { action: 'account.second_factor_stopped', at: now(), storeId, subject: id });
  return wrong === undefined || wrong === wrongCodesAtMost ? 'stopped' : false;
}

async function isCode(
  { sealingKeys, db, now }: Context,
  account: AccountWithSecrets,
  given: string,
): Promise<boolean> {
  const { id, totpSecret } = account;
  const secret = totpSecret && unseal(totpSecret, id, sealingKeys);
  const step = secret ? await stepOf(given.replaceAll(/\s/g, ''), secret, now()) : undefined;
  if (!secret || step === undefined) return false;
  return acceptStep(db, id, step);
}

/** Uses a recovery code up. */
async function isRecoveryCode({ db, now }: Context, account: AccountWithSecrets, given: string, by: Author) {
  const { id, storeId } = account;
  const at = now();
  return changeOnRecord(db, by, async (trx) => {
    const isUsed = await deleteRecoveryCode(trx, id, recoveryCodeHash(id, given));
    return isUsed ? { action: 'account.recovery_code_used', at, storeId, subject: id } : undefined;
  });
}
