import { type ListedMail, listMails } from '@payments/database/notices/mails';
import { mailKinds } from '@payments/notices/kinds';
import type { SendError } from '@payments/notices/sending';
import { Type } from '@sinclair/typebox';
import { readKind } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, skipValidation } from '../../http/answers.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { ofPage, pageQuery, readOneOf, readPage } from '../../http/readers.ts';
import { adminAnswersOf, ofKind } from '../conditions.ts';
import { kindQuery, pageOf, Shape } from '../shapes.ts';

const mailStates = ['pending', 'sent', 'failed'] as const;

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

const ofNoticeKind: Conditions = {
  kindUnknown: field('kind', rules.oneOf([...mailKinds]), '`kind` is not a kind of notice.'),
};
const ofMailState: Conditions = {
  stateUnknown: field('state', rules.oneOf([...mailStates]), '`state` is not a state of a notice.'),
};

const list = {
  operationId: 'listNotices',
  summary: 'List notices, newest first',
  description:
    'Mails to people, and posts to the platform’s webhook: those to be sent, and those of the last weeks. What was ' +
    'settled before it left is not listed.',
  tags: ['Notices'],
  querystring: Type.Object({
    kind: Type.Optional(Type.String({ enum: [...mailKinds], description: 'Only of this kind.' })),
    state: Type.Optional(Type.String({ enum: [...mailStates], description: 'Only in this state.' })),
    ...kindQuery,
    ...pageQuery('Entries'),
  }),
  response: {
    200: answerOf('A page of notices.', Type.Ref('NoticeList')),
    ...adminAnswersOf(ofPage, ofNoticeKind, ofMailState, ofKind),
  },
};

/** The notices that people got, or are to get: `GET /admin/notices`. */
export const noticesApi: AdministrationPlugin = async (app, { context }) => {
  const options = { schema: list, config: { may: 'readNotices' as const }, ...skipValidation };
  app.get('/notices', options, async ({ actor, query }) => {
    const page = readPage(query);
    const kind = query.kind === undefined ? undefined : readOneOf('kind', query.kind, mailKinds);
    const state = query.state === undefined ? undefined : readOneOf('state', query.state, mailStates);
    const filter = { kind, state, ...readKind(actor, query) };
    const { items, total } = await context.longReads.list(actor, (db) => listMails(db, filter, page));
    return { items: items.map(noticeView), ...page, total };
  });
};
