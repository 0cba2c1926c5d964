import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { listPasskeys } from '@payments/database/accounts/passkeys';
import { isId } from '@payments/domain/identifiers';
import { choosableKinds } from '@payments/notices/kinds';
import { Type } from '@sinclair/typebox';
import { browserName } from '../../access/actor.ts';
import { authorOf } from '../../access/author.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { passkeyForm } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { html } from '../../pages/html.ts';
import { askForNewPasskey, newPasskeyOf } from '../second-factor/passkeys.ts';
import { refusedPassword } from '../sessions/fresh-proof.ts';
import { passwordFaults } from '../sign-in/parts.ts';
import { hashPassword, newPasswordFault } from '../sign-in/passwords.ts';
import {
  addPasskey,
  changePassword,
  chooseNotices,
  endSessions,
  ownAccount,
  removePasskey,
} from './actions.ts';
import { showMyAccount, type Wrong } from './parts.ts';

const config = { may: 'anyone', withoutFactor: true } as const;

/** “Minha conta”: the own password, notices and sessions. */
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

  app.post('/my-account/notices', { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const isUsual = textOf(request.body, 'usual') === 'true';
    const ticked = choosableKinds(account.role).filter((kind) => textOf(request.body, kind) === 'on');
    await chooseNotices(context, account, isUsual ? null : ticked, authorOf(request));
    return reply.redirect('/panel/my-account?done=notices-saved#notices', 303);
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

const path = '/my-account/passkeys';

/** Adds a passkey, for which the password is asked, and removes one. */
export const passkeyPage: FastifyPluginAsyncTypebox<{ context: PeopleContext }> = async (
  app,
  { context },
) => {
  app.post(path, { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const message = await refusedPassword(context, request, account);
    if (message)
      return showMyAccount(context, request, reply.code(400), { form: 'passkey', field: 'current', message });
    const asked = await askForNewPasskey(context, account, await listPasskeys(context.db, account.id));
    return sendPage(request, reply, {
      title: 'Chave de acesso',
      content: (csrf) => html`<p class="back"><a href="/panel/my-account">Minha conta</a></p>
        <h1>Criar chave de acesso</h1>
        <section class="card narrow"><p>O seu dispositivo vai pedir o PIN, a digital ou o rosto.</p>
        ${passkeyForm({ csrf, action: `/panel${path}/confirm` }, { ...asked, way: 'create', label: 'Criar chave de acesso' })}</section>`,
    });
  });

  app.post(`${path}/confirm`, { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const given = { answer: textOf(request.body, 'answer'), sealed: textOf(request.body, 'sealed') };
    const passkey = await newPasskeyOf(context, account.id, given);
    if (!passkey) throw errors.formExpired();
    const name = browserName(request.headers['user-agent'] ?? null);
    await addPasskey(context, account, { passkey, name, by: authorOf(request) });
    return reply.redirect('/panel/my-account?done=passkey-added#passkeys', 303);
  });

  const proof = { to: 'remover a chave de acesso' };
  const removing = {
    schema: { params: Type.Object({ id: Type.String() }) },
    config: { ...config, proof },
  };
  app.post(`${path}/:id/remove`, removing, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    await removePasskey(context, account, request.params.id, authorOf(request));
    return reply.redirect('/panel/my-account?done=passkey-removed#passkeys', 303);
  });
};
