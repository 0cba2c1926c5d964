import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import validator from 'validator';
import { authorAs } from '../../access/actor.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { alert } from '../../administration/kit/parts.ts';
import type { PeopleContext } from '../../context.ts';
import { atMost } from '../../http/bounds.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { tooManyTries } from '../sign-in/parts.ts';
import { countRequest, mailNewPassword } from './actions.ts';

const nobody = { id: null, name: null };
const busyMs = 1_000;

/**
 * “Esqueci minha senha”. The answer is the same whether an account has the e-mail or not, and does not wait for what
 * differs: its time would tell.
 */
export const forgottenPasswordPage: FastifyPluginAsyncTypebox<{ context: PeopleContext }> = async (
  app,
  { context },
) => {
  // A flood of requests takes one connection, as long as it lasts.
  const inTurn = atMost({ running: 1, waiting: 200 });
  const mailing = new Set<Promise<void>>();
  app.addHook('onClose', async () => void (await Promise.all(mailing)));

  app.get('/forgotten-password', async (request, reply) => show(request, reply, {}));

  app.post('/forgotten-password', { preHandler: app.csrfProtection }, async (request, reply) => {
    const email = textOf(request.body, 'email').trim();
    if (!email.isWellFormed() || !validator.isEmail(email))
      return show(request, reply.code(400), { email, error: 'Digite o seu e-mail.' });
    const waitMs = await countRequest(context, { email, address: request.ip });
    if (waitMs > 0) return refuse(request, reply, email, waitMs);
    const by = authorAs(request, nobody);
    const work = inTurn(() => mailNewPassword(context, email, by));
    if (!work) return refuse(request, reply, email, busyMs);
    const mailed = work.catch((error: unknown) =>
      request.log.error({ err: error }, 'a new password could not be mailed'),
    );
    mailing.add(mailed);
    void mailed.finally(() => mailing.delete(mailed));
    return sendPage(request, reply, { title: 'Nova senha', content: () => askedPage });
  });
};

function refuse(request: FastifyRequest, reply: FastifyReply, email: string, waitMs: number): FastifyReply {
  const seconds = Math.ceil(waitMs / 1_000);
  void reply.code(429).header('retry-after', String(seconds));
  return show(request, reply, { email, error: tooManyTries(seconds) });
}

type Form = { email?: string; error?: string };

function show(request: FastifyRequest, reply: FastifyReply, form: Form): FastifyReply {
  return sendPage(request, reply, { title: 'Nova senha', content: (csrf) => page(csrf, form) });
}

function page(csrf: string, { email = '', error }: Form): SafeHtml {
  return html`<section class="sign-in card">
    <h1>Esqueci minha senha</h1>
    <p class="muted">Digite o e-mail da sua conta. Enviamos um link para você definir outra senha.</p>
    ${error ? alert('error', error) : nothing}
    ${postForm(
      { csrf, action: '/panel/forgotten-password' },
      html`${textField({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email, required: true, autofocus: true })}
        <button class="button primary wide">Enviar link</button>`,
    )}
    <p class="small"><a href="/panel/sign-in">Voltar para a entrada</a></p>
  </section>`;
}

const askedPage = html`<section class="sign-in card">
    <h1>Confira o seu e-mail</h1>
    ${alert('done', 'Se uma conta tem este e-mail, o link chega em instantes. Ele vale uma hora e uma só vez.')}
    <p class="muted">Não chegou? Confira o spam e o endereço, ou peça um convite novo a quem administra o painel.</p>
    <p class="small"><a href="/panel/sign-in">Voltar para a entrada</a></p>
  </section>`;
