import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { findAccountWithSecrets } from '@payments/database/accounts/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { alert } from '../../administration/kit/alert.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { passkeyForm } from '../../administration/kit/passkey-form.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { html, nothing } from '../../pages/html.ts';
import { askForPasskey, passkeyOf } from '../second-factor/passkeys.ts';
import { recordRefusedSignIn } from '../sessions/record.ts';
import { backFrom } from '../sessions/sessions.ts';
import { completeSignIn } from './complete-sign-in.ts';

type Form = { back: string; error?: string };

/** The sign-in with a passkey. */
export const passkeySignInPage: FastifyPluginAsyncTypebox<{ context: PeopleContext }> = async (
  app,
  { context },
) => {
  const show = async (request: FastifyRequest, reply: FastifyReply, { back, error }: Form) => {
    const asked = await askForPasskey(context);
    return sendPage(request, reply, {
      title: 'Entrar',
      content: (csrf) => html`<section class="sign-in card"><h1>Entrar com chave de acesso</h1>
        ${error ? alert('error', error) : nothing}
        ${passkeyForm({ csrf, action: '/panel/sign-in/passkey' }, { ...asked, way: 'get', label: 'Entrar' }, html`<input type="hidden" name="back" value="${back}">`)}
        <p class="small"><a href="/panel/sign-in?with=password">Entrar com e-mail e senha</a></p></section>`,
    });
  };

  app.get('/sign-in/passkey', async (request, reply) =>
    show(request, reply, { back: backFrom(textOf(request.query, 'back')) }),
  );

  app.post('/sign-in/passkey', { preHandler: app.csrfProtection }, async (request, reply) => {
    const back = backFrom(textOf(request.body, 'back'));
    const given = { answer: textOf(request.body, 'answer'), sealed: textOf(request.body, 'sealed') };
    const passkey = await passkeyOf(context, given);
    const account = passkey && (await findAccountWithSecrets(context.db, passkey.accountId));
    if (!account?.active) {
      request.log.warn('a passkey at the panel was wrong');
      recordRefusedSignIn(context, request, { account, cause: account ? 'inactive' : 'passkey' });
      return show(request, reply.code(401), { back, error: 'Esta chave de acesso não abre nenhuma conta.' });
    }
    await completeSignIn(context, reply, account);
    return reply.redirect(back, 303);
  });
};
