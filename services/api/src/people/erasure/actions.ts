import {
  type Account,
  eraseIdentity,
  findAccount,
  findAccountByEmail,
} from '@payments/database/accounts/accounts';
import { removeFactors } from '@payments/database/accounts/second-factor';
import type { Queryable } from '@payments/database/connection';
import { insertErasure } from '@payments/database/erasure/erasures';
import { erasePersonFrom, findPaymentsOf } from '@payments/database/erasure/personal-data';
import { type ListedMail, listMailsTo } from '@payments/database/notices/mails';
import { type Author, recordChange } from '@payments/database/record/changes';
import { inTransaction } from '@payments/database/transaction';
import { newId } from '@payments/domain/identifiers';
import type { Actor } from '../../access/actor.ts';
import { type PaymentInFull, paymentInFull } from '../../administration/payments/actions.ts';
import { recordSearch } from '../../administration/record/actions.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';

/** The law lets a person know what is kept of them, and have it erased (Contract: personal data). */

/**
 * Erases a person from the database at once: payments, events and deliveries that name them, and the account. The
 * dispatcher erases the rest, and what requests in flight still write, before it ends the erasure; also what is left if
 * this process dies meanwhile.
 * @returns the erasure's id, and the number of payments that named the person
 * @throws ApiError 409 while the person has an active account
 */
export async function erasePerson(
  { db, now }: Pick<PeopleContext, 'db' | 'now'>,
  email: string,
  by: Author,
): Promise<{ id: string; payments: number }> {
  const paymentIds = await findPaymentsOf(db, email);
  const [id, at, payments] = [newId(), now(), paymentIds.length];
  await inTransaction(db, async (trx) => {
    await eraseAccount(trx, email);
    await insertErasure(trx, { id, email, paymentIds, requestedAt: at });
    await recordChange(trx, by, {
      action: 'person.erased',
      at,
      storeId: null,
      subject: id,
      to: { payments },
    });
  });
  await erasePersonFrom(db, email, paymentIds);
  return { id, payments };
}

/** Erases the account with this e-mail, and what it signed in with. Its row stays, since the record names its id. */
async function eraseAccount(trx: Queryable, email: string): Promise<void> {
  const account = await findAccountByEmail(trx, email);
  if (!account) return;
  // A person who still signs in: their account must be taken away first.
  if (!(await eraseIdentity(trx, account.id))) throw errors.accountActive();
  await removeFactors(trx, account.id);
}

export type PersonalData = {
  email: string;
  account: Account | null;
  /** Each is read when it is asked for: an e-mail may stand in every payment of a store. */
  payments: AsyncIterable<PaymentInFull>;
  notices: ListedMail[];
};

/** @returns all that is known of an e-mail; the search is recorded */
export async function personalDataOf(
  context: Pick<PeopleContext, 'db' | 'now'>,
  email: string,
  { actor, by }: { actor: Actor; by: Author },
): Promise<PersonalData> {
  const { db } = context;
  await recordSearch(context, { actor, query: { q: email }, by });
  const found = await findAccountByEmail(db, email);
  const account = found ? await findAccount(db, found.id) : undefined;
  const payments = inFull(context, actor, await findPaymentsOf(db, email));
  return { email, account: account ?? null, payments, notices: await listMailsTo(db, email) };
}

async function* inFull(context: Pick<PeopleContext, 'db'>, actor: Actor, ids: readonly string[]) {
  for (const id of ids) yield await paymentInFull(context, actor, id);
}
