import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Account } from '@payments/database/accounts/accounts';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorAs } from '../../access/author.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { postForm } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import type { PeopleContext } from '../../context.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import { newPasswordField, passwordFaults } from '../sign-in/parts.ts';
import { hashPassword, newPasswordFault } from '../sign-in/passwords.ts';
import { completeSignIn } from '../sign-in/record.ts';
import { acceptInvitation, invitedAccount } from './actions.ts';

type Request = FastifyRequest<{ Params: { token: string } }>;

/** The page of a link, invitation or not, where a person sets the password. It is used once. */
export const invitationPage: FastifyPluginAsyncTypebox<{ context: PeopleContext }> = async (
  app,
  { context },
) => {
  const schema = { params: Type.Object({ token: Type.String() }) };

  app.get('/invitation/:token', { schema }, async (request, reply) =>
    show(request, reply, await invitedAccount(context, request.params.token)),
  );

  const accepting = { schema, preHandler: app.csrfProtection };
  app.post('/invitation/:token', accepting, async (request, reply) => {
    const { token } = request.params;
    const account = await invitedAccount(context, token);
    const given = textOf(request.body, 'password');
    const fault = await newPasswordFault(given, account);
    if (fault) return show(request, reply.code(400), account, passwordFaults[fault]);
    const password = await hashPassword(given);
    const by = authorAs(request, account);
    const { needsFactor } = await acceptInvitation(context, { token, password }, by);
    if (needsFactor) return reply.redirect('/panel/sign-in?done=password-set', 303);
    await completeSignIn(context, reply, account, { isExpected: true });
    return reply.redirect('/panel/my-account?done=password-set', 303);
  });
};

function show(request: Request, reply: FastifyReply, account: Account, error?: string): FastifyReply {
  const { token } = request.params;
  const content = (csrf: string) => page(csrf, { account, token, error });
  return sendPage(request, reply, { title: 'Convite', content });
}

type Invited = { account: Account; token: string; error: string | undefined };

function page(csrf: string, { account, token, error }: Invited): SafeHtml {
  return html`<section class="sign-in card">
    <h1>Defina a sua senha</h1>
    <p>Olá, ${account.name}. Você vai entrar com o e-mail <strong>${account.email}</strong>.</p>
    ${postForm(
      { csrf, action: `/panel/invitation/${token}` },
      html`<input type="hidden" name="username" autocomplete="username" value="${account.email}">
        ${newPasswordField('Senha', error)}
        <button class="button primary wide">Definir senha e entrar</button>`,
    )}
    <p class="muted small">Uma frase é fácil de lembrar e difícil de adivinhar.</p>
  </section>`;
}
