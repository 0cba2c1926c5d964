import type { Account } from '@payments/database/accounts/accounts';
import type { ChangeAction, ChangedValues } from '@payments/database/record/change-actions';
import { inTransaction } from '@payments/database/transaction';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorAs, type Person } from '../../access/actor.ts';
import { recordAct } from '../../administration/record/actions.ts';
import type { PeopleContext } from '../../context.ts';
import { tellAccess } from '../mails/personal-mails.ts';
import { rememberPlace } from './known-place.ts';

/** Sign-ins that are complete or refused, on record. */

/**
 * Signs a person in who has given everything that the account asks for, and tells them of a new place.
 * @param isExpected true for who has just set the password by a link of the mailbox: nobody else signs in so
 */
export async function completeSignIn(
  context: PeopleContext,
  reply: FastifyReply,
  account: Account,
  { isExpected = false } = {},
): Promise<void> {
  await reply.startSession({ accountId: account.id });
  const by = authorAs(reply.request, account);
  await inTransaction(context.db, async (trx) => {
    const isNew = await rememberPlace(context, trx, reply, account.email);
    if (!isNew || isExpected) return;
    await tellAccess(trx, account, { change: 'new_place' }, { by, at: context.now() });
  });
  await recordSignIn(context, reply.request, 'sign_in', { author: account, account });
  reply.request.log.info({ accountId: account.id }, 'signed in to the panel');
}

const nobody = { id: null, name: null };

type SignInRecord = {
  /** The person known to have done it; absent where anybody may have. */
  author?: Person;
  account?: Pick<Account, 'id' | 'storeId'> | undefined;
  reason?: string | null;
  to?: ChangedValues;
};

/** Records what a person did with an account: the record names no e-mail, only the account's id. */
export async function recordSignIn(
  context: Pick<PeopleContext, 'db' | 'now'>,
  request: FastifyRequest,
  action: ChangeAction,
  { author = nobody, account, reason, to }: SignInRecord,
): Promise<void> {
  await recordAct(context, authorAs(request, author, reason), {
    action,
    storeId: account?.storeId ?? null,
    ...(account && { subject: account.id }),
    ...(to && { to }),
  });
}

/** Records a wrong proof, whose author is the session's person. @param account none of the holder of `ADMIN_KEY` */
export function recordWrongProof(
  context: Pick<PeopleContext, 'db' | 'now'>,
  request: FastifyRequest,
  account?: Account,
): Promise<void> {
  const author = request.actor;
  const to = { ...(account && { name: account.name }), cause: 'proof' };
  return recordSignIn(context, request, 'sign_in_refused', { author, account, to });
}

/** Records a refused sign-in. The answer does not wait for it: its time would tell which e-mails have accounts. */
export function recordRefusedSignIn(
  context: Pick<PeopleContext, 'db' | 'now'>,
  request: FastifyRequest,
  refused: { account?: Account | undefined; cause: string },
): void {
  const { account, cause } = refused;
  const to = { ...(account && { name: account.name }), cause };
  recordSignIn(context, request, 'sign_in_refused', { account, to }).catch((error: unknown) =>
    request.log.error({ err: error }, 'a refused sign-in is not in the record'),
  );
}
