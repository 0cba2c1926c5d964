import { findAccountWithSecrets } from '@payments/database/people/accounts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { alert } from '../../administration/kit/alert.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { passkeyForm } from '../../administration/kit/passkey-form.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { html, nothing } from '../../pages/html.ts';
import { askForPasskey, passkeyOf } from '../second-factor/passkeys.ts';
import { backFrom } from '../sessions/back.ts';
import { recordRefusedSignIn } from '../sessions/record.ts';
import { completeSignIn } from './complete-sign-in.ts';

/** The sign-in with a passkey. */
export function passkeyRoutes(app: FastifyInstance, context: PeopleContext): void {
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    form: { back: string; error?: string },
  ) => {
    const { back, error } = form;
    const asked = await askForPasskey(context);
    return sendPage(request, reply, {
      title: 'Entrar',
      content: (csrf) => html`<section class="sign-in card"><h1>Entrar com chave de acesso</h1>
        ${error ? alert('error', error) : nothing}
        ${passkeyForm({ csrf, action: '/panel/sign-in/passkey' }, { ...asked, way: 'get', label: 'Entrar' }, html`<input type="hidden" name="back" value="${back}">`)}
        <p class="small"><a href="/panel/sign-in?with=password">Entrar com e-mail e senha</a></p></section>`,
    });
  };

  app.get<{ Querystring: { back?: unknown } }>('/sign-in/passkey', async (request, reply) =>
    show(request, reply, { back: backFrom(request.query.back) }),
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
}
