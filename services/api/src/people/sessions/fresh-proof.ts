import { type AccountWithSecrets, findAccountWithSecrets } from '@payments/database/accounts/accounts';
import { listPasskeys } from '@payments/database/accounts/passkeys';
import { recordProof } from '@payments/database/accounts/sessions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { authorOf } from '../../access/actor.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { alert } from '../../administration/kit/parts.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { checkSecondFactor } from '../second-factor/actions.ts';
import { askForPasskey, passkeyForm, passkeyOf, type Question } from '../second-factor/passkeys.ts';
import { attemptOf, recordWrongProof } from '../sign-in/known-place.ts';
import { checkPassword, codesStopped, type Refusal, tooManyTries } from '../sign-in/passwords.ts';

/** The fields of a proof. No form that needs one may have a field of these names. */
export const proofFields = ['current', 'code', 'answer', 'sealed'] as const;

export type AskedProof = {
  csrf: string;
  /** The address and the fields of the form that waits for the proof. */
  action: string;
  body: unknown;
  to: string;
  error: string | undefined;
};

export type ProofWays = {
  /** Undefined for the holder of `ADMIN_KEY`. */
  account: AccountWithSecrets | undefined;
  /** The question for a passkey, if the account has one. */
  passkey: Question | undefined;
  /** The host of the single sign-on. */
  issuer: string | undefined;
};

/** Asks who a person is before their form goes on. Every way posts the form's own fields again. */
export function proofPage({ csrf, action, body, to, error }: AskedProof, ways: ProofWays): SafeHtml {
  const form = { csrf, action };
  const kept = keptFields(body);
  return html`<section class="sign-in card">
    <h1>Confirme que é você</h1>
    <p>Para ${to}, confirme que é você. Isto protege a sua conta se alguém usar uma sessão que ficou aberta.</p>
    <p class="muted small">Nada foi feito ainda, e o que você preencheu não se perde.</p>
    ${error ? alert('error', error) : nothing}
    ${isOfIssuer(ways) ? issuerWay(form, kept, ways) : nothing}
    ${isOfIssuer(ways) ? nothing : passwordWay(form, kept, ways)}
    ${ways.account?.totpSecret ? codeWay(form, kept) : nothing}
    ${ways.passkey ? passkeyWay(form, kept, ways.passkey) : nothing}
    <p class="small"><a href="/panel">Desistir e voltar ao início</a></p>
  </section>`;
}

type Form = { csrf: string; action: string };

const isOfIssuer = ({ account }: ProofWays) => account !== undefined && account.password === null;

function passwordWay(form: Form, kept: SafeHtml, { account }: ProofWays): SafeHtml {
  const label = account ? 'Senha' : 'Chave de administração';
  const field = { name: 'current', label, type: 'password', autocomplete: 'current-password' } as const;
  return postForm(
    form,
    html`${kept}${textField({ ...field, required: true, autofocus: true })}
      <button class="button primary wide">Confirmar e continuar</button>`,
  );
}

function codeWay(form: Form, kept: SafeHtml): SafeHtml {
  const hint = 'Os 6 dígitos do seu aplicativo, ou um código de recuperação.';
  return postForm(
    form,
    html`${kept}${textField({ name: 'code', label: 'Ou um código', autocomplete: 'one-time-code', hint, required: true })}
      <button class="button wide">Confirmar com o código</button>`,
  );
}

function passkeyWay(form: Form, kept: SafeHtml, question: Question): SafeHtml {
  return passkeyForm(form, { ...question, way: 'get', label: 'Confirmar com a chave de acesso' }, kept);
}

/** The proof is made in another tab, so that this one keeps what was typed. */
function issuerWay(form: Form, kept: SafeHtml, { issuer }: ProofWays): SafeHtml {
  return html`<ol>
      <li><p><a class="button primary" href="/panel/sign-in/sso/prove" target="_blank" rel="noopener">Confirmar em ${issuer}</a> (abre outra aba)</p></li>
      <li>Depois volte a esta aba e continue.</li>
    </ol>
    ${postForm(form, html`${kept}<button class="button wide">Continuar</button>`)}`;
}

/** The form's own fields as hidden ones. */
function keptFields(body: unknown): SafeHtml {
  const own = Object.entries((body as Record<string, unknown> | null) ?? {}).filter(
    ([name]) => name !== '_csrf' && !(proofFields as readonly string[]).includes(name),
  );
  return html`${own.flatMap(([name, given]) =>
    [given].flat().map((value) => html`<input type="hidden" name="${name}" value="${String(value)}">`),
  )}`;
}

/** A deed that needs a fresh proof: a form's effect. */
export type Deed = {
  /** Completes “Para …” in Portuguese. */
  to: string;
  /** Leaves out posts that do nothing yet. */
  when?: (body: unknown) => boolean;
};

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The person must have proved lately who they are. */
    proof?: Deed;
  }
}

/**
 * Asks for a password or a factor again before a sensitive form does anything, once the last proof is older than
 * `PROOF_SECONDS` (Contract: people). The page that asks carries the form's own fields and posts them to the same
 * address with the proof, so nothing typed is lost, and nothing is kept here. Register it after the check of forged posts.
 */
export const freshProof = fastifyPlugin(
  async (app, { context }: { context: PeopleContext }) => {
    app.addHook('preHandler', async (request, reply) => {
      const { proof: deed } = request.routeOptions.config;
      if (!deed || deed.when?.(request.body) === false || isFresh(context, request)) return forget(request);
      const refusal = await judge(app, context, request);
      if (refusal === undefined) {
        await keepProof(context, request);
        return forget(request);
      }
      return ask(context, request, reply, { deed, refusal });
    });
  },
  { name: 'panel-fresh-proof', dependencies: ['panel-require-session'] },
);

function isFresh({ now, proofMs }: PeopleContext, { panelSession }: FastifyRequest): boolean {
  return panelSession !== undefined && now().getTime() - panelSession.provedAt.getTime() < proofMs;
}

/** The form's handler never sees a proof. */
function forget({ body, routeOptions }: FastifyRequest): void {
  if (!routeOptions.config.proof || typeof body !== 'object' || body === null) return;
  for (const field of proofFields) delete (body as Record<string, unknown>)[field];
}

type Verdict = Refusal | 'not given' | undefined;

/** @returns undefined for a right proof */
async function judge(
  app: FastifyInstance,
  context: PeopleContext,
  request: FastifyRequest,
): Promise<Verdict> {
  const { actor, body } = request;
  const [password, code, answer] = ['current', 'code', 'answer'].map((name) => textOf(body, name));
  if (!password && !code && !answer) return 'not given';
  const account = actor.id === null ? undefined : await findAccountWithSecrets(context.db, actor.id);
  if (actor.id !== null && !account) return 'not given';
  const verdict = account
    ? await judgeOf(context, request, account)
    : await app.refusedAdminKey(request, password ?? '');
  if (verdict === undefined || 'waitMs' in verdict) return verdict;
  request.log.warn('a proof at the panel was wrong');
  await recordWrongProof(context, request, account);
  return verdict;
}

async function judgeOf(
  context: PeopleContext,
  request: FastifyRequest,
  account: AccountWithSecrets,
): Promise<Refusal | undefined> {
  const given = (name: string) => textOf(request.body, name);
  const attempt = attemptOf(request, account.email);
  if (given('answer')) {
    const asked = { answer: given('answer'), sealed: given('sealed') };
    const passkey = await passkeyOf(context, asked, purposeOf(account.id));
    return passkey?.accountId === account.id
      ? undefined
      : { reason: 'Esta chave de acesso não é da sua conta.' };
  }
  if (given('code') && account.totpSecret !== null) {
    const by = authorOf(request);
    const verdict = await checkSecondFactor(context, account, {
      code: given('code'),
      attempt,
      by,
      isProof: true,
    });
    if (verdict === 'stopped') return { reason: codesStopped };
    if (typeof verdict === 'object') return verdict;
    return verdict ? undefined : { reason: 'Código incorreto ou já usado.' };
  }
  const verdict = await checkPassword(context, attempt, given('current'));
  if ('waitMs' in verdict) return verdict;
  return verdict.isRight ? undefined : { reason: 'Senha incorreta.' };
}

const purposeOf = (accountId: string) => `proof of ${accountId}`;

async function ask(
  context: PeopleContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { deed, refusal }: { deed: Deed; refusal: Refusal | 'not given' },
): Promise<FastifyReply> {
  const { id } = request.actor;
  const account = id === null ? undefined : await findAccountWithSecrets(context.db, id);
  const known = account ? await listPasskeys(context.db, account.id) : [];
  const passkey =
    account && known.length > 0
      ? await askForPasskey(context, { purpose: purposeOf(account.id), known })
      : undefined;
  const ways = { account, passkey, issuer: context.singleSignOn?.issuer.hostname };
  const content = (csrf: string) =>
    proofPage(
      { csrf, action: request.url, body: request.body, to: deed.to, error: messageOf(reply, refusal) },
      ways,
    );
  return sendPage(request, reply, { title: 'Confirme que é você', content });
}

/** Sets the reply's status, and says what is wrong; nothing is when the proof is asked for at first. */
function messageOf(reply: FastifyReply, refusal: Refusal | 'not given'): string | undefined {
  if (refusal === 'not given') return undefined;
  if ('reason' in refusal) {
    void reply.code(401);
    return refusal.reason;
  }
  return tooManyTries(reply, refusal.waitMs);
}

/**
 * Asks for the password again, since somebody else may use a session that was left open. A right one is a fresh proof.
 * @returns the message for a password that is wrong or was tried too often; the reply then has its status
 * @throws ApiError 403 if the session has ended meanwhile
 */
export async function refusedPassword(
  context: PeopleContext,
  reply: FastifyReply,
  account: AccountWithSecrets,
): Promise<string | undefined> {
  const { request } = reply;
  const given = textOf(request.body, 'current');
  const verdict = await checkPassword(context, attemptOf(request, account.email), given);
  if ('waitMs' in verdict) return tooManyTries(reply, verdict.waitMs);
  if (!verdict.isRight) {
    await recordWrongProof(context, request, account);
    void reply.code(400);
    return 'Senha incorreta.';
  }
  await keepProof(context, request);
  return undefined;
}

/** A password or factor that was changed while it was judged has ended the session. @throws ApiError 403 */
async function keepProof({ db, now }: PeopleContext, { panelSession }: FastifyRequest): Promise<void> {
  if (!(await recordProof(db, panelSession?.id ?? '', now()))) throw errors.formExpired();
}
