import { findAccount } from '@payments/database/accounts/accounts';
import type { Database } from '@payments/database/connection';
import {
  type ClaimedMail,
  dropMail,
  endMail,
  postponeMail,
  readCollected,
} from '@payments/database/notices/mails';
import { mailLinkOwner } from '@payments/database/notices/notices';
import type { SecretBox } from '@payments/database/secret-box';
import { listStoreNames } from '@payments/database/stores/stores';
import { type Collected, kindsOf, type NoticeKind, noticeKinds } from '@payments/notices/kinds';
import { renderNotices } from '@payments/notices/mail/notice-words';
import { renderPersonal } from '@payments/notices/mail/personal-words';
import { pauseMs } from '@payments/notices/pauses';
import type { PersonalNotice } from '@payments/notices/personal';
import type { Rendered, SendResult, Surroundings } from '@payments/notices/sending';

/** The needs of a try, whatever carries it. */
export type Trying = {
  db: Database;
  now: () => Date;
  secrets: SecretBox;
  surroundings: Omit<Surroundings, 'storeNames'>;
  /** Puts it on the wire. It never rejects, and ends before the claim's lease does. */
  send: (mail: ClaimedMail, words: Words) => Promise<SendResult>;
  onTried: (result: TryResult) => void;
};

export type TryResult = 'sent' | 'failed' | 'retry' | 'dropped';

/** The words, and the notices that they tell of; a mail to the person concerned brings none. */
export type Words = { rendered: Rendered; collected: Collected | null };

/**
 * Tries to send a claimed mail, and records how that ended. Nothing is locked meanwhile. A process that dies between the
 * two leaves it to the next claim, which repeats it under the same id.
 * @returns whether the other end takes nothing now
 */
export async function tryMail(trying: Trying, mail: ClaimedMail): Promise<boolean> {
  const { db, now, onTried } = trying;
  const words = await wordsOf(trying, mail);
  if (words === 'nothing') {
    await dropMail(db, mail);
    onTried('dropped');
    return false;
  }
  if (words === 'too_late' || words === 'unopenable') {
    await endMail(db, mail, { state: 'failed', subject: null, error: { code: words } });
    onTried('failed');
    return false;
  }
  const result = await trying.send(mail, words);
  const { subject } = words.rendered;
  if (result.state === 'sent') await endMail(db, mail, { state: 'sent', subject, now: now() });
  else if (result.state === 'refused')
    await endMail(db, mail, { state: 'failed', subject, error: result.error });
  else await postpone(trying, mail, subject, result);
  onTried(result.state === 'sent' ? 'sent' : result.state === 'refused' ? 'failed' : 'retry');
  return result.state === 'unknown' || (result.state === 'not_sent' && result.server);
}

async function postpone(
  { db, now }: Trying,
  mail: ClaimedMail,
  subject: string,
  result: Extract<SendResult, { state: 'not_sent' | 'unknown' }>,
): Promise<void> {
  const nextAttemptAt = new Date(now().getTime() + pauseMs(mail.attempts, Math.random()));
  // A mail that may have arrived, now or before, must stay as it was: a repeat with more in it would be taken for the same mail.
  const collects = result.state === 'not_sent' && !mail.fixed && isOfNotices(mail.kind);
  await postponeMail(db, mail, { nextAttemptAt, error: result.error, subject, collects });
}

const isOfNotices = (kind: string): kind is NoticeKind => (noticeKinds as readonly string[]).includes(kind);

/** @returns `nothing` if all was settled meanwhile, or the person is to be told of none of it any more */
async function wordsOf(
  trying: Trying,
  mail: ClaimedMail,
): Promise<Words | 'nothing' | 'too_late' | 'unopenable'> {
  if (!isOfNotices(mail.kind)) return personalWords(trying, mail);
  const { db, surroundings } = trying;
  const { kind } = mail;
  const storeId = await storeToTell(db, mail, kind);
  const collected = storeId === 'none' ? undefined : await readCollected(db, { ...mail, kind }, storeId);
  if (!collected) return 'nothing';
  const stores = collected.notices.flatMap((notice) => notice.storeId ?? []);
  const storeNames = await listStoreNames(db, stores);
  return { rendered: renderNotices(collected, { ...surroundings, storeNames }), collected };
}

/** @returns the store whose notices alone the person is told of; null for all; `none` if the person is told of none */
async function storeToTell(
  db: Database,
  { accountId }: ClaimedMail,
  kind: NoticeKind,
): Promise<string | null | 'none'> {
  if (accountId === null) return null;
  const account = await findAccount(db, accountId);
  return account?.active && kindsOf(account).includes(kind) ? account.storeId : 'none';
}

function personalWords(
  { secrets, surroundings, now }: Trying,
  { id, kind, facts, link }: ClaimedMail,
): Words | 'too_late' | 'unopenable' {
  const said = facts as PersonalNotice['facts'];
  if ('until' in said && new Date(said.until) <= now()) return 'too_late';
  let opened: string | null;
  try {
    opened = link === null ? null : secrets.open(link, mailLinkOwner(id));
  } catch {
    return 'unopenable';
  }
  const rendered = renderPersonal({ kind, facts: said, link: opened } as PersonalNotice, surroundings);
  return { rendered, collected: null };
}
