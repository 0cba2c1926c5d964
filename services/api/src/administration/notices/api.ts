import { listMails } from '@payments/database/notices/mails';
import { mailKinds } from '@payments/notices/kinds';
import { Type } from '@sinclair/typebox';
import { readKind } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, skipValidation } from '../../http/answers.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { ofPage, pageQuery, readOneOf, readPage } from '../../http/readers.ts';
import { adminAnswersOf, ofKind } from '../conditions.ts';
import { kindQuery } from '../shapes.ts';
import { mailStates, noticeView } from './schemas.ts';

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
    const { items, total } = await listMails(context.db, { kind, state, ...readKind(actor, query) }, page);
    return { items: items.map(noticeView), ...page, total };
  });
};
