import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import { authorOf } from '../../access/author.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import type { PeopleContext } from '../../context.ts';
import { refusedPassword } from '../sessions/fresh-proof.ts';
import { passwordFaults } from '../sign-in/parts.ts';
import { hashPassword, newPasswordFault } from '../sign-in/passwords.ts';
import { changePassword, endSessions, ownAccount } from './actions.ts';
import { showMyAccount, type Wrong } from './parts.ts';

const config = { may: 'anyone', withoutFactor: true } as const;

/** “Minha conta”: the own password and sessions. */
export const myAccountPage: FastifyPluginAsyncTypebox<{ context: PeopleContext }> = async (
  app,
  { context },
) => {
  app.get('/my-account', { config }, async (request, reply) => showMyAccount(context, request, reply));

  app.post('/my-account/password', { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const given = textOf(request.body, 'password');
    const fault = await newPasswordFault(given, account);
    const wrong = (field: Wrong['field'], message: string) =>
      showMyAccount(context, request, reply.code(400), { form: 'password', field, message });
    if (fault) return wrong('password', passwordFaults[fault]);
    const refused = await refusedPassword(context, request, account);
    if (refused) return wrong('current', refused);
    const session = request.panelSession?.id ?? '';
    const password = await hashPassword(given);
    await changePassword(context, account, { password, session, by: authorOf(request) });
    await reply.startSession({ accountId: account.id });
    return reply.redirect('/panel/my-account?done=password-changed', 303);
  });

  const ending = { schema: { params: Type.Object({ id: Type.String() }) }, config };
  app.post('/my-account/sessions/:id/end', ending, async (request, reply) => {
    const { id } = request.params;
    if (isId(id)) await endSessions(context, request.actor, { id }, authorOf(request));
    return reply.redirect('/panel/my-account?done=sessions-ended#sessions', 303);
  });

  app.post('/my-account/sessions/end-others', { config }, async (request, reply) => {
    const { actor, panelSession } = request;
    if (panelSession) await endSessions(context, actor, { except: panelSession.id }, authorOf(request));
    return reply.redirect('/panel/my-account?done=sessions-ended#sessions', 303);
  });
};
