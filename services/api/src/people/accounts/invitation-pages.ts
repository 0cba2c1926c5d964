import type { Account } from '@payments/database/people/accounts';
import { acceptInvitation, findInvited } from '@payments/database/people/passwords';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorAs } from '../../access/author.ts';
import { hashOf } from '../../access/secrets.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { postForm } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import { completeSignIn } from '../sign-in/complete-sign-in.ts';
import { newPasswordField, passwordFaults } from '../sign-in/new-password.ts';
import { hashPassword } from '../sign-in/password-hash.ts';
import { newPasswordFault } from '../sign-in/password-rules.ts';

type Request = FastifyRequest<{ Params: { token: string } }>;

/** The page of an invitation, where a person sets the password. It is used once. */
export function invitationRoutes(app: FastifyInstance, context: PeopleContext): void {
  const { db, now } = context;
  const invited = async ({ params }: Request): Promise<Account> => {
    const account = await findInvited(db, hashOf(params.token), now());
    if (!account) throw errors.invitationNotFound();
    return account;
  };

  app.get('/invitation/:token', async (request: Request, reply) => {
    return show(request, reply, await invited(request));
  });

  const options = { preHandler: app.csrfProtection };
  app.post('/invitation/:token', options, async (request: Request, reply) => {
    const account = await invited(request);
    const given = textOf(request.body, 'password');
    const fault = await newPasswordFault(given, account);
    if (fault) return show(request, reply.code(400), account, passwordFaults[fault]);
    const password = await hashPassword(given);
    const by = authorAs(request, account);
    // A second use at the same time, or one after a newer invitation, finds nothing.
    if (!(await acceptInvitation(db, hashOf(request.params.token), { password, now: now(), by })))
      throw errors.invitationNotFound();
    await completeSignIn(context, reply, account);
    return reply.redirect('/panel/my-account?done=password-set', 303);
  });
}

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
