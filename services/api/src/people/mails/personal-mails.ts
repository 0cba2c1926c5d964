import { type Account, findAccount } from '@payments/database/accounts/accounts';
import type { Queryable } from '@payments/database/connection';
import { mailLinkOwner, writePersonalMail } from '@payments/database/notices/notices';
import type { Author } from '@payments/database/record/changes';
import { newId } from '@payments/domain/identifiers';
import type { AccessChange, Origin } from '@payments/notices/personal';
import { browserName } from '../../access/actor.ts';
import type { PeopleContext } from '../../context.ts';

/**
 * Mails to the person concerned (Contract: notices). Each is written in the transaction of its cause, so that nobody
 * changes an account unseen, and nobody is told of what did not happen.
 *
 * A link is made here, where its hash is stored, and kept sealed until the mail has left: the process that sends has no
 * part in who may enter, and a copy of the database opens no account.
 */

type Person = Pick<Account, 'id' | 'name' | 'email'>;

export type Link = { url: string; until: Date };

/** Mails a link that sets the password: an invitation, or a new password for who had one. */
export async function mailLink(
  trx: Queryable,
  { secrets, now }: Pick<PeopleContext, 'secrets' | 'now'>,
  { id: accountId, name, email: to }: Person,
  { url, until, hadPassword, asked }: Link & { hadPassword: boolean; asked: boolean },
): Promise<void> {
  const id = newId();
  const facts = { name, until: until.toISOString() };
  await writePersonalMail(trx, {
    id,
    accountId,
    to,
    link: secrets.seal(url, mailLinkOwner(id)),
    now: now(),
    ...(hadPassword ? { kind: 'password_reset', facts: { ...facts, asked } } : { kind: 'invitation', facts }),
  });
}

/** Tells a person what changed in their access, or was done with it. */
export async function tellAccess(
  trx: Queryable,
  { id: accountId, name, email: to }: Person,
  change: AccessChange,
  { by, at }: { by: Author; at: Date },
): Promise<void> {
  const facts = { ...change, name, at: at.toISOString(), origin: originOf(accountId, by) };
  await writePersonalMail(trx, {
    id: newId(),
    kind: 'access_changed',
    accountId,
    to,
    facts,
    link: null,
    now: at,
  });
}

/** Tells the author of a change, if that is a person with an account: keys and `ADMIN_KEY` read no mail. */
export async function tellAuthor(
  trx: Queryable,
  change: AccessChange,
  told: { by: Author; at: Date },
): Promise<void> {
  const { id, via } = told.by;
  const person = id && via === 'panel' ? await findAccount(trx, id) : undefined;
  if (person) await tellAccess(trx, person, change, told);
}

/** @returns null for what another person did */
function originOf(accountId: string, { id, address, browser }: Author): Origin | null {
  if (id !== accountId) return null;
  return { address: address ?? null, browser: browser ? browserName(browser) : null };
}
