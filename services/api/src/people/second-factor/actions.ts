import type { AccountWithSecrets } from '@payments/database/accounts/accounts';
import {
  acceptStep,
  claimCode,
  deleteRecoveryCode,
  forgetWrongCodes,
} from '@payments/database/accounts/second-factor';
import { type Author, changeOnRecord, recordChange } from '@payments/database/record/changes';
import type { PeopleContext } from '../../context.ts';
import { countTry, inTurn, type SignInAttempt } from '../sign-in/known-place.ts';
import { recoveryCodeHash, stepOf, unseal } from './secrets.ts';

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
