import { findAccountWithSecrets } from '@payments/database/people/accounts';
import { listPasskeys } from '@payments/database/people/passkeys';
import { changePassword } from '@payments/database/people/passwords';
import { countRecoveryCodes } from '@payments/database/people/second-factor';
import { endSessions, listSessions } from '@payments/database/people/sessions';
import { isId } from '@payments/domain/identifiers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { notice } from '../../administration/kit/notices.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { sessionMoment } from '../sessions/sessions.ts';
import { passwordFaults } from '../sign-in/new-password.ts';
import { hashPassword } from '../sign-in/password-hash.ts';
import { newPasswordFault } from '../sign-in/password-rules.ts';
import { ownAccount, refusedPassword } from './own-account.ts';
import { myAccountPage, type Wrong } from './page.ts';
import { passkeyPages } from './passkey-pages.ts';
import { secondFactorPages } from './second-factor-pages.ts';

const config = { may: 'anyone', withoutFactor: true } as const;

/** “Minha conta”: the own password, second factor and sessions. */
export function myAccountPages(app: FastifyInstance, context: PeopleContext): void {
  const { db, now } = context;
  const show = async (request: FastifyRequest, reply: FastifyReply, wrong?: Wrong) => {
    const { id, name, role } = request.actor;
    const [account, sessions, recoveryCodes, passkeys] = await Promise.all([
      id === null ? undefined : findAccountWithSecrets(db, id),
      listSessions(db, id, sessionMoment(context)),
      id === null ? 0 : countRecoveryCodes(db, id),
      id === null ? [] : listPasskeys(db, id),
    ]);
    const said = notice((request.query as { done?: unknown }).done);
    const current = request.panelSession?.id ?? '';
    const shown = { account, name, role, sessions, current, recoveryCodes, passkeys };
    const isFactorMissing = request.isFactorMissing === true;
    const page = { ...shown, notice: said, isFactorMissing, wrong };
    return sendPage(request, reply, { title: 'Minha conta', content: (csrf) => myAccountPage(csrf, page) });
  };

  app.get('/my-account', { config }, async (request, reply) => show(request, reply));

  app.post('/my-account/password', { config }, async (request, reply) => {
    const account = await ownAccount(context, request);
    const given = textOf(request.body, 'password');
    const fault = await newPasswordFault(given, account);
    const wrong = (field: Wrong['field'], message: string) =>
      show(request, reply.code(400), { form: 'password', field, message });
    if (fault) return wrong('password', passwordFaults[fault]);
    const refused = await refusedPassword(context, request, account);
    if (refused) return wrong('current', refused);
    const session = request.panelSession?.id ?? '';
    const password = await hashPassword(given);
    await changePassword(db, account, password, { by: authorOf(request), now: now(), session });
    await reply.startSession({ accountId: account.id });
    return reply.redirect('/panel/my-account?done=password-changed', 303);
  });

  const end = async (request: FastifyRequest, which: { id: string } | { except: string }) => {
    const { id, storeId } = request.actor;
    await endSessions(db, id, which, { by: authorOf(request), now: now(), storeId });
  };

  app.post<{ Params: { id: string } }>('/my-account/sessions/:id/end', { config }, async (request, reply) => {
    const { id } = request.params;
    if (isId(id)) await end(request, { id });
    return reply.redirect('/panel/my-account?done=sessions-ended#sessions', 303);
  });

  app.post('/my-account/sessions/end-others', { config }, async (request, reply) => {
    if (request.panelSession) await end(request, { except: request.panelSession.id });
    return reply.redirect('/panel/my-account?done=sessions-ended#sessions', 303);
  });

  secondFactorPages(app, context, show);
  passkeyPages(app, context, show);
}
