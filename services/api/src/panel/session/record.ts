import type { ChangeAction, ChangedValues } from '@payments/database/operations/change-actions';
import { recordChange } from '@payments/database/operations/changes';
import type { FastifyRequest } from 'fastify';
import type { ApiContext } from '../../context.ts';

type Person = { id: string; name: string; storeId: string | null };

/** Records what a person did with an account: the record names no e-mail, only the account's id. */
export async function recordSignIn(
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
  request: FastifyRequest,
  action: ChangeAction,
  {
    author,
    account,
    to,
  }: {
    /** Who is known to have done it; undefined where anybody may have. */
    author?: { id: string | null; name: string } | undefined;
    account?: Person | undefined;
    to?: ChangedValues;
  },
): Promise<void> {
  const by = {
    name: author?.name ?? null,
    id: author?.id ?? null,
    via: 'panel' as const,
    reason: null,
    requestId: request.id,
  };
  await recordChange(db, by, {
    action,
    at: now(),
    storeId: account?.storeId ?? null,
    ...(account && { subject: account.id }),
    ...(to && { to }),
  });
}
