import type { FastifyReply, FastifyRequest } from 'fastify';
import { alert } from '../../administration/kit/alert.ts';
import { textField } from '../../administration/kit/fields.ts';
import { postForm } from '../../administration/kit/forms.ts';
import { linkTo } from '../../administration/kit/pagination.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';

export type SignInForm = {
  /** `key` is the form for `ADMIN_KEY`. */
  with: 'password' | 'key';
  back: string;
  error?: string | undefined;
};

/** Sends the form with e-mail and password, or the one for `ADMIN_KEY`, with the reply's status code. */
export function showSignIn(
  { singleSignOn }: PeopleContext,
  request: FastifyRequest,
  reply: FastifyReply,
  form: SignInForm,
): FastifyReply {
  const issuer = singleSignOn?.issuer.hostname;
  return sendPage(request, reply, { title: 'Entrar', content: (csrf) => signInForm(csrf, form, issuer) });
}

/** @param issuer the host of the single sign-on, if there is one */
function signInForm(csrf: string, form: SignInForm, issuer: string | undefined): SafeHtml {
  const { back, error } = form;
  return html`<section class="sign-in card">
    <h1>Entrar</h1>
    ${form.with === 'key' ? html`<p class="muted">Use a chave de administração deste serviço.</p>` : nothing}
    ${error ? alert('error', error) : nothing}
    ${postForm(
      { csrf, action: '/panel/sign-in' },
      html`<input type="hidden" name="back" value="${back}">
        ${form.with === 'key' ? keyFields : passwordFields}
        <button class="button primary wide">Entrar</button>`,
    )}
    ${issuer ? html`<a class="button wide" href="${linkTo('/panel/sign-in/sso', { back })}">Entrar com ${issuer}</a>` : nothing}
    <p class="small">${otherWay(form)}</p>
  </section>`;
}

const passwordFields = html`${textField({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', required: true, autofocus: true })}
  ${textField({ name: 'password', label: 'Senha', type: 'password', autocomplete: 'current-password', required: true })}`;

const keyFields = html`${textField({ name: 'key', label: 'Chave de administração', type: 'password', autocomplete: 'current-password', required: true, autofocus: true })}
  ${textField({ name: 'name', label: 'Seu nome', autocomplete: 'name', hint: 'Fica no registro desta entrada, como motivo; o autor é a chave.' })}`;

function otherWay({ with: way, back }: SignInForm): SafeHtml {
  const link = (other: 'password' | 'key') => linkTo('/panel/sign-in', { with: other, back });
  return way === 'key'
    ? html`<a href="${link('password')}">Entrar com e-mail e senha</a>`
    : html`<a href="${linkTo('/panel/sign-in/passkey', { back })}">Entrar com chave de acesso</a><br>
      <a href="${link('key')}">Entrar com a chave de administração</a>`;
}
