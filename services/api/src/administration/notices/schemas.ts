import type { ListedMail } from '@payments/database/notices/mails';
import { mailKinds } from '@payments/notices/kinds';
import type { SendError } from '@payments/notices/sending';
import { Type } from '@sinclair/typebox';
import { pageOf, Shape } from '../shapes.ts';

export const mailStates = ['pending', 'sent', 'failed'] as const;

const Notice = Type.Object(
  {
    id: Shape.id('Identifier of the mail; a repeated one has the same.'),
    kind: Shape.oneOf(mailKinds, 'What it tells.'),
    to: Type.String({ description: 'The e-mail address, or the host of the platform’s webhook.' }),
    subject: Shape.textOrNull('Subject, as of the last attempt; null before the first.'),
    state: Shape.oneOf(mailStates, '`pending`: to be sent, now or later. `failed`: it will not be sent.'),
    attempts: Shape.count('Attempts made.'),
    lastError: Shape.textOrNull('Error of the last attempt; null for a success.'),
    createdAt: Shape.time('When it was made.'),
    sentAt: Shape.timeOrNull('When it left.'),
  },
  { $id: 'Notice', description: 'A mail to a person, or a post to the platform’s webhook.' },
);

export const noticeSchemas = [Notice, pageOf('Notice', 'NoticeList', 'A page of notices.')];

const words: Record<SendError['code'], string> = {
  refused: 'refused',
  unreachable: 'the server can’t be reached',
  timeout: 'no response in time',
  tls: 'TLS failed',
  authentication: 'the server refused user and password',
  connection_lost: 'the connection was lost',
  answered: 'the server answered',
  too_late: 'nobody could send it in time',
  unopenable: 'no key opens its link',
};

/** @returns a mail with its last error in words */
export function noticeView({ lastError, ...mail }: ListedMail) {
  const text = lastError && [words[lastError.code], lastError.detail].filter(Boolean).join(': ');
  return { ...mail, lastError: text };
}
