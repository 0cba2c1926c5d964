import type { Account } from '@payments/database/people/accounts';
import type { FastifyReply } from 'fastify';
import type { PeopleContext } from '../../context.ts';
import { rememberPlace } from '../sessions/browser-cookie.ts';
import { recordSignIn } from '../sessions/record.ts';

/** Signs a person in who has given everything that the account asks for. */
export async function completeSignIn(
  context: PeopleContext,
  reply: FastifyReply,
  account: Account,
): Promise<void> {
  await reply.startSession({ accountId: account.id });
  await rememberPlace(context, reply, account.email);
  await recordSignIn(context, reply.request, 'sign_in', { author: account, account });
  reply.request.log.info({ accountId: account.id }, 'signed in to the panel');
}
