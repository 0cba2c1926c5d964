import { listPasskeys, mostPasskeys } from '@payments/database/accounts/passkeys';
import { isId } from '@payments/domain/identifiers';
import { choosableKinds } from '@payments/notices/kinds';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import QRCode from 'qrcode';
import { authorOf, browserName } from '../../access/actor.ts';
import { textOf, touchedIn } from '../../administration/kit/form-values.ts';
import { postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { alert, copyable } from '../../administration/kit/parts.ts';
import type { PeoplePlugin } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { isUnstorable } from '../../http/readers.ts';
import { html, nothing, type SafeHtml, trusted } from '../../pages/html.ts';
import { noticesForm } from '../accounts/parts.ts';
import {
  type Enrolment,
  enrolmentOf,
  newTotpSecret,
  seal,
  stepOf,
  unseal,
} from '../second-factor/actions.ts';
import { askForNewPasskey, newPasskeyOf, passkeyForm } from '../second-factor/passkeys.ts';
import { refusedPassword } from '../sessions/fresh-proof.ts';
import { hashPassword, newPasswordFault, passwordFaults } from '../sign-in/passwords.ts';
import {
  addPasskey,
  changePassword,
  chooseNotices,
  endSessions,
  ownAccount,
  removePasskey,
  turnOffSecondFactor,
  turnOnSecondFactor,
} from './actions.ts';
import { showMyAccount, type Wrong } from './parts.ts';

const config = { may: 'anyone', withoutFactor: true } as const;

/** “Minha conta”: the own password, notices and sessions. */
export const myAccountPage: PeoplePlugin = async (app, { context }) => {
  app.get('/my-account', { config }, async (request, reply) => showMyAccount(context, request, reply));

  app.post('/my-account/password', { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const given = textOf(request.body, 'password');
    const fault = await newPasswordFault(given, account);
    const wrong = (field: Wrong['field'], message: string) =>
      showMyAccount(context, request, reply, { form: 'password', field, message });
    if (fault) {
      void reply.code(400);
      return wrong('password', passwordFaults[fault]);
    }
    const refused = await refusedPassword(context, reply, account);
    if (refused) return wrong('current', refused);
    const session = request.panelSession?.id ?? '';
    const password = await hashPassword(given, account.id);
    await changePassword(context, account, { password, session, by: authorOf(request) });
    const isOpen = await reply.startSession({ judged: { ...account, password } });
    return reply.redirect(isOpen ? '/panel/my-account?done=password-changed' : '/panel/sign-in', 303);
  });

  app.post('/my-account/notices', { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const isUsual = textOf(request.body, 'usual') === 'true';
    const values = touchedIn(request.body, noticesForm(account));
    const ticked = choosableKinds(account.role).filter((kind) => values[kind] === 'on');
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

const passkeysPath = '/my-account/passkeys';

/** Adds a passkey, for which the password is asked, and removes one. */
export const passkeyPage: PeoplePlugin = async (app, { context }) => {
  app.post(passkeysPath, { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const message = await refusedPassword(context, reply, account);
    if (message)
      return showMyAccount(context, request, reply, { form: 'passkey', field: 'current', message });
    const known = await listPasskeys(context.db, account.id);
    if (known.length >= mostPasskeys) throw errors.tooManyPasskeys();
    const asked = await askForNewPasskey(context, account, known);
    return sendPage(request, reply, {
      title: 'Chave de acesso',
      content: (csrf) => html`<p class="back"><a href="/panel/my-account">Minha conta</a></p>
        <h1>Criar chave de acesso</h1>
        <section class="card narrow"><p>O seu dispositivo vai pedir o PIN, a digital ou o rosto.</p>
        ${passkeyForm({ csrf, action: `/panel${passkeysPath}/confirm` }, { ...asked, way: 'create', label: 'Criar chave de acesso' })}</section>`,
    });
  });

  app.post(`${passkeysPath}/confirm`, { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const given = { answer: textOf(request.body, 'answer'), sealed: textOf(request.body, 'sealed') };
    const passkey = await newPasskeyOf(context, account.id, given);
    if (!passkey) throw errors.formExpired();
    const name = browserName(request.headers['user-agent'] ?? null);
    const session = request.panelSession?.id ?? '';
    await addPasskey(context, account, { passkey, name, session, by: authorOf(request) });
    return reply.redirect('/panel/my-account?done=passkey-added#passkeys', 303);
  });

  const proof = { to: 'remover a chave de acesso' };
  const removing = {
    schema: { params: Type.Object({ id: Type.String() }) },
    config: { ...config, proof },
  };
  app.post(`${passkeysPath}/:id/remove`, removing, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const { id } = request.params;
    const session = request.panelSession?.id ?? '';
    if (!isUnstorable(id)) await removePasskey(context, account, { id, session, by: authorOf(request) });
    return reply.redirect('/panel/my-account?done=passkey-removed#passkeys', 303);
  });
};

const secondFactorPath = '/my-account/second-factor';

/** Turns the second factor on, in two steps, and off. The password is asked for both. */
export const ownSecondFactorPage: PeoplePlugin = async (app, { context }) => {
  const { sealingKeys, now } = context;
  const refused = (message: string): Wrong => ({ form: 'second_factor', field: 'current', message });
  // A seal of its own: what is stored can't be handed back as a new secret.
  const purpose = (id: string) => `${id}, not confirmed`;

  const enrol = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { id, email, secret, error }: { id: string; email: string; secret: Buffer; error?: string },
  ) => {
    const sealed = seal(secret, purpose(id), sealingKeys).toString('base64url');
    const content = await enrolmentPage({ enrolment: await enrolmentOf(secret, email), sealed, error });
    return sendPage(request, reply, { title: 'Ativar segundo fator', content });
  };

  app.post(secondFactorPath, { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const message = await refusedPassword(context, reply, account);
    if (message) return showMyAccount(context, request, reply, refused(message));
    return enrol(request, reply, { ...account, secret: newTotpSecret() });
  });

  app.post(`${secondFactorPath}/confirm`, { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const sealed = Buffer.from(textOf(request.body, 'sealed'), 'base64url');
    const secret = unseal(sealed, purpose(account.id), sealingKeys);
    if (!secret || account.totpSecret !== null) throw errors.formExpired();
    const step = await stepOf(textOf(request.body, 'code').replaceAll(/\s/g, ''), secret, now());
    if (step === undefined)
      return enrol(request, reply.code(400), {
        ...account,
        secret,
        error: 'Código incorreto. Confira a hora do celular.',
      });
    const session = request.panelSession?.id ?? '';
    const made = { secret, step, session, by: authorOf(request) };
    const codes = await turnOnSecondFactor(context, account, made);
    return sendPage(request, reply, { title: 'Segundo fator', content: () => recoveryCodesPage(codes) });
  });

  app.post(`${secondFactorPath}/off`, { config }, async (request, reply) => {
    const account = await ownAccount(context, request.actor);
    const message = await refusedPassword(context, reply, account);
    if (message) return showMyAccount(context, request, reply, refused(message));
    const session = request.panelSession?.id ?? '';
    await turnOffSecondFactor(context, account, { session, by: authorOf(request) });
    return reply.redirect('/panel/my-account?done=second-factor-off', 303);
  });
};

type EnrolmentPage = {
  enrolment: Enrolment;
  /** The secret, sealed: only our own page can hand it back. */
  sealed: string;
  error: string | undefined;
};

/** The page with the QR code for an authenticator app. */
async function enrolmentPage({
  enrolment,
  sealed,
  error,
}: EnrolmentPage): Promise<(csrf: string) => SafeHtml> {
  const svg = await QRCode.toString(enrolment.url, { type: 'svg', margin: 2 });
  return (csrf) => html`<p class="back"><a href="/panel/my-account">Minha conta</a></p>
    <h1>Ativar segundo fator</h1>
    <section class="card narrow">
      ${error ? alert('error', error) : nothing}
      <p>Leia o código com o seu aplicativo autenticador e digite os 6 dígitos que ele mostrar.</p>
      <div class="enrolment" role="img" aria-label="QR Code para o aplicativo autenticador">${trusted(svg)}</div>
      <p class="muted small">Sem câmera? Digite esta chave no aplicativo:</p>
      ${copyable('Chave do segundo fator', enrolment.base32)}
      ${postForm(
        { csrf, action: '/panel/my-account/second-factor/confirm' },
        html`<input type="hidden" name="sealed" value="${sealed}">
          ${textField({ name: 'code', label: 'Código', autocomplete: 'one-time-code', required: true, autofocus: true })}
          <button class="button primary">Ativar</button>`,
      )}
    </section>`;
}

/** The page with the recovery codes, shown only once. */
function recoveryCodesPage(codes: readonly string[]): SafeHtml {
  return html`<h1>Segundo fator ativado</h1>
    <section class="card narrow" data-address="/panel/my-account#second-factor">
      ${alert('done', html`<strong>Guarde estes códigos de recuperação.</strong> Eles não serão mostrados de novo.`)}
      <p>Sem o seu aplicativo, cada código entra uma vez no lugar dele.</p>
      <ul class="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
      <a class="button primary" href="/panel/my-account">Guardei os códigos</a>
    </section>`;
}
