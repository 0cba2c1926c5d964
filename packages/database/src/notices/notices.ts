import { newId } from '@payments/domain/identifiers';
import type { Notice } from '@payments/notices/kinds';
import type { PersonalNotice } from '@payments/notices/personal';
import type { Queryable } from '../connection.ts';
import { everyRow } from '../filters.ts';

/**
 * Writes facts that people are told of. Call it in the transaction of their cause, so that none is told which was not
 * committed, and none is committed untold; a fact that is known already changes nothing.
 * @returns how many are new
 */
export async function writeNotices(trx: Queryable, notices: readonly Notice[]): Promise<number> {
  if (notices.length === 0) return 0;
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('notices')
    .values(
      notices.map(({ facts, ...notice }) => ({
        id: newId(notice.occurredAt),
        ...notice,
        facts: JSON.stringify(facts),
      })),
    )
    .onConflict((oc) => oc.columns(['kind', 'key']).doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0n);
}

/** Writes one fact; see {@link writeNotices}. */
export async function writeNotice(trx: Queryable, notice: Notice): Promise<void> {
  await writeNotices(trx, [notice]);
}

/** A mail to the person concerned. */
export type PersonalMail = Pick<PersonalNotice, 'kind' | 'facts'> & {
  id: string;
  accountId: string;
  /** The address, as the account has it. */
  to: string;
  /** A one-time link in its text, sealed for {@link mailLinkOwner}; null for none. It is removed once the mail has ended. */
  link: string | null;
  now: Date;
};

/** The owner of a sealed link. */
export const mailLinkOwner = (mailId: string) => `link of mail ${mailId}`;

/** Writes a mail that is due at once, and collects nothing. Call it in the transaction of its cause. */
export async function writePersonalMail(trx: Queryable, mail: PersonalMail): Promise<void> {
  const { to: recipient, facts, now, ...rest } = mail;
  await trx
    .insertInto('mails')
    .values({
      ...rest,
      recipient,
      facts: JSON.stringify(facts),
      subject: null,
      state: 'pending',
      nextAttemptAt: now,
      closed: true,
      createdAt: now,
    })
    .execute();
}

/** Reads the sealed links of all mails that have not ended, in pages. */
export async function* everyMailLink(db: Queryable): AsyncGenerator<{ mailId: string; stored: string }> {
  const linked = db.selectFrom('mails').select(['id', 'link']).where('link', 'is not', null).orderBy('id');
  const rows = everyRow((after, limit) => linked.where('id', '>', after).limit(limit).execute());
  for await (const { id: mailId, link } of rows) if (link !== null) yield { mailId, stored: link };
}

/** Stores a mail's link in another form. Does nothing where the mail has ended, and its link is gone. */
export async function replaceMailLink(
  db: Queryable,
  mailId: string,
  { was, becomes }: { was: string; becomes: string },
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ link: becomes })
    .where('id', '=', mailId)
    .where('link', '=', was)
    .execute();
}
