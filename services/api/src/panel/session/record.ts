import type { ChangeAction, ChangedValues } from '@payments/database/operations/change-actions';
import { recordChange } from '@payments/database/operations/changes';
import type { Account } from '@payments/database/people/accounts';
import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { authorAs, type Person } from './author.ts';

const nobody = { id: null, name: null };

type SignInRecord = {
  /** Who is known to have done it; absent where anybody may have. */
  author?: Person;
  account?: Pick<Account, 'id' | 'storeId'> | undefined;
  to?: ChangedValues;
};

/** Records what a person did with an account: the record names no e-mail, only the account's id. */
export async function recordSignIn(
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
  request: FastifyRequest,
  action: ChangeAction,
  { author = nobody, account, to }: SignInRecord,
): Promise<void> {
  await recordChange(db, authorAs(request, author), {
    action,
    at: now(),
    storeId: account?.storeId ?? null,
    ...(account && { subject: account.id }),
    ...(to && { to }),
  });
}
