import { type Account, findAccountWithSecrets, hasAccounts } from '@payments/database/accounts/accounts';
import { listPasskeys } from '@payments/database/accounts/passkeys';
import type { FastifyReply, FastifyRequest } from 'fastify';
import validator from 'validator';
import { authorAs } from '../../access/actor.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { alert, notice } from '../../administration/kit/parts.ts';
import { linkTo } from '../../administration/kit/tables.ts';
import type { PeopleContext, PeoplePlugin } from '../../context.ts';
import { atMost } from '../../http/bounds.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { countRequest, mailNewPassword } from '../accounts/actions.ts';
import { checkSecondFactor } from '../second-factor/actions.ts';
import { askForPasskey, passkeyForm, passkeyOf } from '../second-factor/passkeys.ts';
import { backFrom, notSent } from '../sessions/sessions.ts';
import { adminKeySignIn } from './admin-key.ts';
import {
  attemptOf,
  completeSignIn,
  inTurn,
  placeOf,
  recordRefusedSignIn,
  recordSignIn,
} from './known-place.ts';
import { checkPassword, codesStopped, type Refusal, tooManyTries } from './passwords.ts';

/** @returns the refusal, or undefined after it signed the person in */
export type SignIn = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Refusal | 'second_factor' | undefined>;

/** The sign-in with e-mail and password, the one with `ADMIN_KEY`, and the sign-out. */
const signInPage: PeoplePlugin = async (app, { context }) => {
  const withKey = adminKeySignIn(app, context);
  const withPassword = passwordSignIn(context);

  app.get('/sign-in', async (request, reply) => {
    const back = backFrom(textOf(request.query, 'back'));
    if (request.panelSession) return reply.redirect(back, 303);
    const way = await wayOf(context, textOf(request.query, 'with'));
    return showSignIn(context, request, reply, { with: way, back, said: textOf(request.query, 'done') });
  });

  app.post('/sign-in', { preHandler: app.csrfProtection }, async (request, reply) => {
    const back = backFrom(textOf(request.body, 'back'));
    const way = textOf(request.body, 'key') === '' ? 'password' : 'key';
    const refusal = await (way === 'key' ? withKey : withPassword)(request, reply);
    if (refusal === undefined) return reply.redirect(back, 303);
    if (refusal === 'second_factor')
      return reply.redirect(`/panel/sign-in/second-factor?back=${encodeURIComponent(back)}`, 303);
    return refuse(
      context,
      request,
      reply,
      { with: way, back, email: textOf(request.body, 'email') },
      refusal,
    );
  });

  app.post('/sign-out', { preHandler: app.csrfProtection }, async (request, reply) => {
    const { actor, panelSession } = request;
    if (panelSession) {
      const { id, name, storeId } = actor;
      const account = id === null ? undefined : { id, name, storeId };
      await recordSignIn(context, request, 'sign_out', { author: actor, account });
    }
    await reply.endSession();
    return reply.redirect('/panel/sign-in', 303);
  });
};

type PasskeyForm = { back: string; error?: string };

/** The sign-in with a passkey. */
const passkeySignInPage: PeoplePlugin = async (app, { context }) => {
  const show = async (request: FastifyRequest, reply: FastifyReply, { back, error }: PasskeyForm) => {
    const asked = await askForPasskey(context);
    return sendPage(request, reply, {
      title: 'Entrar',
      content: (csrf) => html`<section class="sign-in card"><h1>Entrar com chave de acesso</h1>
        ${error ? alert('error', error) : nothing}
        ${passkeyForm({ csrf, action: '/panel/sign-in/passkey' }, { ...asked, way: 'get', label: 'Entrar' }, html`<input type="hidden" name="back" value="${back}">`)}
        <p class="small"><a href="${linkTo('/panel/sign-in', { with: 'password', back })}">Entrar com e-mail e senha</a></p></section>`,
    });
  };

  app.get('/sign-in/passkey', async (request, reply) =>
    show(request, reply, { back: backFrom(textOf(request.query, 'back')) }),
  );

  app.post('/sign-in/passkey', { preHandler: app.csrfProtection }, async (request, reply) => {
    const back = backFrom(textOf(request.body, 'back'));
    const judged = await inTurn(context, placeOf(request), () => judgePasskey(context, request));
    if (judged && 'waitMs' in judged)
      return show(request, reply, { back, error: tooManyTries(reply, judged.waitMs) });
    if (judged && (await completeSignIn(context, reply, judged, { judged })))
      return reply.redirect(back, 303);
    if (judged) await recordRefusedSignIn(context, request, { account: judged, cause: 'inactive' });
    request.log.warn('a passkey at the panel was wrong');
    return show(request, reply.code(401), { back, error: 'Esta chave de acesso não abre nenhuma conta.' });
  });
};

/** @returns the account that the passkey opens, or undefined once the refusal is on record */
async function judgePasskey(context: PeopleContext, request: FastifyRequest) {
  const given = { answer: textOf(request.body, 'answer'), sealed: textOf(request.body, 'sealed') };
  const passkey = await passkeyOf(context, given);
  const account = passkey && (await findAccountWithSecrets(context.db, passkey.accountId));
  if (passkey && account?.active) return { ...account, passkeyId: passkey.id };
  await recordRefusedSignIn(context, request, { account, cause: account ? 'inactive' : 'passkey' });
  return undefined;
}

/** Before the first account, only `ADMIN_KEY` opens the panel. */
async function wayOf({ db }: PeopleContext, wanted: unknown): Promise<SignInForm['with']> {
  if (wanted === 'key' || wanted === 'password') return wanted;
  return (await hasAccounts(db)) ? 'password' : 'key';
}

function refuse(
  context: PeopleContext,
  request: FastifyRequest,
  reply: FastifyReply,
  form: SignInForm,
  refusal: Refusal,
): FastifyReply {
  request.log.warn('a sign-in to the panel failed');
  if ('reason' in refusal)
    return showSignIn(context, request, reply.code(401), { ...form, error: refusal.reason });
  return showSignIn(context, request, reply, { ...form, error: tooManyTries(reply, refusal.waitMs) });
}

/** The sign-in with e-mail and password. */
function passwordSignIn(context: PeopleContext): SignIn {
  return async (request, reply) => {
    const attempt = attemptOf(request, textOf(request.body, 'email').replaceAll('\0', ''));
    const recordRefusal = (account: Account | undefined, cause: string) =>
      void recordRefusedSignIn(context, request, { account, cause });
    const verdict = await checkPassword(context, attempt, textOf(request.body, 'password'));
    if ('waitMs' in verdict) return verdict;
    const { isRight, account } = verdict;
    const wrong = (cause: string) => {
      recordRefusal(account, cause);
      return { reason: 'E-mail ou senha incorretos.' };
    };
    if (!isRight) return wrong(!account ? 'no_account' : account.active ? 'password' : 'inactive');
    if (account.totpSecret !== null) {
      const isHalfOpen = await reply.startSession({ judged: account, complete: false });
      return isHalfOpen ? 'second_factor' : wrong('password');
    }
    // The passkey is the second factor: a guessed password alone must not open the account.
    if ((await listPasskeys(context.db, account.id)).length > 0) {
      recordRefusal(account, 'second_factor');
      return { reason: 'Esta conta entra com chave de acesso.' };
    }
    const judged = { ...account, hadNoPasskey: true };
    const isOpen = await completeSignIn(context, reply, account, { judged });
    return isOpen ? undefined : wrong('password');
  };
}

export type SignInForm = {
  /** `key` is the form for `ADMIN_KEY`. */
  with: 'password' | 'key';
  back: string;
  /** As typed. */
  email?: string;
  error?: string | undefined;
  /** The name of a notice. */
  said?: string;
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

const unsent = 'Sua sessão terminou antes do envio, e nada foi feito. Entre e preencha o formulário de novo.';

/** @param issuer the host of the single sign-on, if there is one */
function signInForm(csrf: string, form: SignInForm, issuer: string | undefined): SafeHtml {
  const { back, error } = form;
  const said = form.said === notSent ? alert('warning', unsent) : notice(form.said);
  return html`<section class="sign-in card">
    <h1>Entrar</h1>
    ${form.with === 'key' ? html`<p class="muted">Use a chave de administração deste serviço.</p>` : nothing}
    ${error ? alert('error', error) : said}
    ${postForm(
      { csrf, action: '/panel/sign-in' },
      html`<input type="hidden" name="back" value="${back}">
        ${form.with === 'key' ? keyFields : passwordFields(form)}
        <button class="button primary wide">Entrar</button>`,
    )}
    ${issuer ? html`<a class="button wide" href="${linkTo('/panel/sign-in/sso', { back })}">Entrar com ${issuer}</a>` : nothing}
    <p class="small">${otherWay(form)}</p>
  </section>`;
}

const passwordFields = ({
  email,
}: SignInForm) => html`${textField({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email, required: true, autofocus: true })}
  ${textField({ name: 'password', label: 'Senha', type: 'password', autocomplete: 'current-password', required: true })}`;

const keyFields = html`${textField({ name: 'key', label: 'Chave de administração', type: 'password', autocomplete: 'current-password', required: true, autofocus: true })}
  ${textField({ name: 'name', label: 'Seu nome', autocomplete: 'name', hint: 'Fica no registro desta entrada, como motivo; o autor é a chave.' })}`;

function otherWay({ with: way, back }: SignInForm): SafeHtml {
  const link = (other: 'password' | 'key') => linkTo('/panel/sign-in', { with: other, back });
  return way === 'key'
    ? html`<a href="${link('password')}">Entrar com e-mail e senha</a>`
    : html`<a href="/panel/forgotten-password">Esqueci minha senha</a><br>
      <a href="${linkTo('/panel/sign-in/passkey', { back })}">Entrar com chave de acesso</a><br>
      <a href="${link('key')}">Entrar com a chave de administração</a>`;
}

type CodeForm = { back: string; error?: string };

/** The second step of a sign-in. After the password alone, only these routes are open. */
const secondFactorPage: PeoplePlugin = async (app, { context }) => {
  app.get('/sign-in/second-factor', async (request, reply) => {
    if (!request.halfSession) return reply.redirect('/panel/sign-in', 303);
    return showCode(request, reply, { back: backFrom(textOf(request.query, 'back')) });
  });

  const options = { preHandler: app.csrfProtection };
  app.post('/sign-in/second-factor', options, async (request, reply) => {
    const { halfSession } = request;
    const account = halfSession && (await findAccountWithSecrets(context.db, halfSession.accountId));
    const back = backFrom(textOf(request.body, 'back'));
    if (!account) return reply.redirect(linkTo('/panel/sign-in', { done: notSent, back }), 303);
    const given = { code: textOf(request.body, 'code'), attempt: attemptOf(request, account.email) };
    const verdict = await checkSecondFactor(context, account, { ...given, by: authorAs(request, account) });
    if (verdict === true) {
      const isOpen = await completeSignIn(context, reply, account, { judged: account });
      return reply.redirect(isOpen ? back : '/panel/sign-in', 303);
    }
    if (typeof verdict === 'object')
      return showCode(request, reply, { back, error: tooManyTries(reply, verdict.waitMs) });
    request.log.warn('a second factor at the panel was wrong');
    void recordRefusedSignIn(context, request, { account, cause: 'second_factor' });
    if (verdict === 'stopped')
      request.log.error(
        { accountId: account.id },
        'codes are stopped: somebody who knows the password guesses them',
      );
    const error = verdict === 'stopped' ? codesStopped : 'Código incorreto ou já usado.';
    return showCode(request, reply.code(401), { back, error });
  });
};

function showCode(request: FastifyRequest, reply: FastifyReply, form: CodeForm): FastifyReply {
  return sendPage(request, reply, { title: 'Segundo fator', content: (csrf) => codePage(csrf, form) });
}

function codePage(csrf: string, { back, error }: CodeForm): SafeHtml {
  return html`<section class="sign-in card">
    <h1>Segundo fator</h1>
    ${error ? alert('error', error) : nothing}
    ${postForm(
      { csrf, action: '/panel/sign-in/second-factor' },
      html`<input type="hidden" name="back" value="${back}">
        ${textField({ name: 'code', label: 'Código', autocomplete: 'one-time-code', hint: 'Os 6 dígitos do seu aplicativo, ou um código de recuperação.', required: true, autofocus: true })}
        <button class="button primary wide">Entrar</button>`,
    )}
    <p class="small"><a href="${linkTo('/panel/sign-in', { back })}">Recomeçar</a></p>
  </section>`;
}

const nobody = { id: null, name: null };
const busyMs = 1_000;

/**
 * “Esqueci minha senha”. The answer is the same whether an account has the e-mail or not, and does not wait for what
 * differs: its time would tell.
 */
const forgottenPasswordPage: PeoplePlugin = async (app, { context }) => {
  // A flood of requests takes one connection, as long as it lasts.
  const inTurn = atMost({ running: 1, waiting: 200 });
  const mailing = new Set<Promise<void>>();
  app.addHook('onClose', async () => void (await Promise.all(mailing)));

  app.get('/forgotten-password', async (request, reply) => showForgotten(request, reply, {}));

  app.post('/forgotten-password', { preHandler: app.csrfProtection }, async (request, reply) => {
    const email = textOf(request.body, 'email').trim();
    if (!email.isWellFormed() || !validator.isEmail(email))
      return showForgotten(request, reply.code(400), { email, error: 'Digite o seu e-mail.' });
    const waitMs = await countRequest(context, { email, address: request.ip });
    if (waitMs > 0) return refuseMail(request, reply, email, waitMs);
    const by = authorAs(request, nobody);
    const work = inTurn(() => mailNewPassword(context, email, by));
    if (!work) return refuseMail(request, reply, email, busyMs);
    const mailed = work.catch((error: unknown) =>
      request.log.error({ err: error }, 'a new password could not be mailed'),
    );
    mailing.add(mailed);
    void mailed.finally(() => mailing.delete(mailed));
    return sendPage(request, reply, { title: 'Nova senha', content: () => askedPage });
  });
};

function refuseMail(
  request: FastifyRequest,
  reply: FastifyReply,
  email: string,
  waitMs: number,
): FastifyReply {
  return showForgotten(request, reply, { email, error: tooManyTries(reply, waitMs) });
}

type ForgottenForm = { email?: string; error?: string };

function showForgotten(request: FastifyRequest, reply: FastifyReply, form: ForgottenForm): FastifyReply {
  return sendPage(request, reply, { title: 'Nova senha', content: (csrf) => forgottenPage(csrf, form) });
}

function forgottenPage(csrf: string, { email = '', error }: ForgottenForm): SafeHtml {
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

/** The pages by which a person with a password or a passkey signs in. */
export const signInPages = [signInPage, secondFactorPage, passkeySignInPage, forgottenPasswordPage];
