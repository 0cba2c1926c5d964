import { type AccountWithSecrets, findAccountWithSecrets } from '@payments/database/people/accounts';
import { recordProof } from '@payments/database/people/sessions';
import type { FastifyRequest } from 'fastify';
import { textOf } from '../../administration/kit/form-values.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { attemptOf } from '../sessions/browser-cookie.ts';
import { recordWrongProof } from '../sessions/record.ts';
import { checkPassword } from '../sign-in/check-password.ts';
import { tooManyTries } from '../sign-in/too-many-tries.ts';

/** @throws ApiError 404 for the holder of `ADMIN_KEY`, who has no account */
export async function ownAccount(
  { db }: PeopleContext,
  { actor }: FastifyRequest,
): Promise<AccountWithSecrets> {
  const account = actor.id === null ? undefined : await findAccountWithSecrets(db, actor.id);
  if (!account) throw errors.accountNotFound();
  return account;
}

/**
 * Asks for the password again, since somebody else may use a session that was left open. A right one is a fresh proof.
 * @returns the message for a password that is wrong, or tried too often
 */
export async function refusedPassword(
  context: PeopleContext,
  request: FastifyRequest,
  account: AccountWithSecrets,
): Promise<string | undefined> {
  const given = textOf(request.body, 'current');
  const verdict = await checkPassword(context, attemptOf(request, account.email), given);
  if ('waitMs' in verdict) return tooManyTries(Math.ceil(verdict.waitMs / 1_000));
  if (!verdict.isRight) {
    await recordWrongProof(context, request, account);
    return 'Senha incorreta.';
  }
  await recordProof(context.db, request.panelSession?.id ?? '', context.now());
  return undefined;
}
