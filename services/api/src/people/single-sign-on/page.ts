import { findAccountBySubject } from '@payments/database/accounts/accounts';
import { recordProof } from '@payments/database/accounts/sessions';
import type { Author } from '@payments/database/record/changes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { authorAs } from '../../access/actor.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import type { PeoplePlugin } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { html } from '../../pages/html.ts';
import { backFrom, cookieAttributes } from '../sessions/sessions.ts';
import { completeSignIn, inTurn, placeOf, recordRefusedSignIn } from '../sign-in/known-place.ts';
import { showSignIn } from '../sign-in/page.ts';
import { tooManyTries } from '../sign-in/passwords.ts';
import { findOrMakeAccount, followGroups, type SignOnRefusal } from './actions.ts';
import { type Claims, type Proof, personOf, type SignedOnPerson, singleSignOnClient } from './client.ts';

const cookieName = 'panel_sign_on';
const callback = '/sign-in/sso/callback';
const answerMs = 10 * 60_000;
const rememberedAtMost = 10_000;

/** `proves`: the session whose person proves again who they are; without it a sign-in. */
type Begun = Proof & { beganAt: number; back: string; proves?: string };

const refusals: Record<SignOnRefusal, string> = {
  inactive: 'Esta conta está desativada.',
  no_account: 'Você não tem uma conta aqui. Peça um convite a quem administra as contas.',
  no_group: 'Nenhum grupo seu dá mais acesso a este painel.',
};

/** The sign-in at a company's single sign-on (OpenID Connect), if one is configured. */
export const singleSignOnPage: PeoplePlugin = async (app, { context }) => {
  const { singleSignOn: settings } = context;
  if (!settings) return;
  const client = singleSignOnClient(settings);
  const redirectUri = `${context.adminUrl.replace(/\/$/, '')}/panel${callback}`;
  const attributes = { ...cookieAttributes(context), maxAge: answerMs / 1_000 };
  const answered = new LRUCache<string, true>({ max: rememberedAtMost });
  const fail = (request: FastifyRequest, reply: FastifyReply, error: string, back = '/panel') => {
    request.log.warn('a single sign-on failed');
    return showSignIn(context, request, reply, { with: 'password', back, error });
  };

  const begin = async (
    request: FastifyRequest,
    reply: FastifyReply,
    about: Pick<Begun, 'back' | 'proves'>,
  ) => {
    const begun = await client.begin(redirectUri, about.proves !== undefined).catch((error: unknown) => {
      request.log.error({ err: error }, 'the single sign-on can’t be asked');
      return undefined;
    });
    if (!begun)
      return fail(request, reply.code(503), 'O provedor de acesso não respondeu. Tente de novo.', about.back);
    const kept: Begun = { ...begun.proof, beganAt: context.now().getTime(), ...about };
    void reply.setCookie(cookieName, Buffer.from(JSON.stringify(kept)).toString('base64url'), attributes);
    return reply.redirect(begun.url.href, 303);
  };

  app.get('/sign-in/sso', async (request, reply) =>
    begin(request, reply, { back: backFrom(textOf(request.query, 'back')) }),
  );

  app.get('/sign-in/sso/prove', async (request, reply) => {
    const { panelSession } = request;
    if (!panelSession?.isSignedOn) return reply.redirect('/panel/sign-in', 303);
    return begin(request, reply, { back: '/panel', proves: panelSession.id });
  });

  /** A proof makes no account and opens no session: it must be of the person whose session asked for it. */
  const prove = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { session, person, by }: { session: string; person: SignedOnPerson; by: Author },
  ) => {
    const known = await findAccountBySubject(context.db, person);
    const { panelSession } = request;
    if (!known?.active || panelSession?.id !== session || panelSession.accountId !== known.id)
      return fail(request, reply.code(403), 'O provedor de acesso confirmou outra pessoa.');
    const account = await followGroups(context, known, person, by);
    // Another role has ended the session.
    if (typeof account === 'string' || !(await recordProof(context.db, session, context.now())))
      return fail(request, reply.code(403), 'O seu perfil mudou. Entre de novo.');
    return sendPage(request, reply, { title: 'Confirmado', content: () => provedPage });
  };

  /** Signs the person in, or asks for the second factor of their account. */
  const signIn = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { back, person, by }: { back: string; person: SignedOnPerson; by: Author },
  ) => {
    const account = await findOrMakeAccount(context, person, by);
    if (typeof account === 'string') {
      void recordRefusedSignIn(context, request, { cause: account });
      return fail(request, reply.code(403), refusals[account], back);
    }
    if (account.totpSecret === null) {
      const isOpen = await completeSignIn(context, reply, account, { judged: account });
      return reply.redirect(isOpen ? back : '/panel/sign-in', 303);
    }
    await reply.startSession({ judged: account, complete: false });
    return reply.redirect(`/panel/sign-in/second-factor?back=${encodeURIComponent(back)}`, 303);
  };

  const finish = async ({ url }: FastifyRequest, begun: Begun): Promise<Claims | undefined> => {
    // The issuer is asked once, however often the answer comes.
    if (answered.has(begun.state)) return undefined;
    answered.set(begun.state, true);
    const answer = new URL(redirectUri);
    answer.search = new URL(url, redirectUri).search;
    // The library's errors may contain codes and tokens, so they are not logged.
    return client.finish(answer, begun, begun.proves !== undefined).catch(() => undefined);
  };

  const judge = async (request: FastifyRequest, begun: Begun) => {
    const claims = await finish(request, begun);
    if (!claims) await recordRefusedSignIn(context, request, { cause: 'single_sign_on' });
    return { claims };
  };

  app.get(callback, async (request, reply) => {
    const begun = begunIn(request, context.now());
    const { signed: _, ...options } = attributes;
    void reply.clearCookie(cookieName, options);
    if (!begun) throw errors.formExpired();
    const verdict = await inTurn(context, placeOf(request), () => judge(request, begun), 'issuer');
    if ('waitMs' in verdict) return fail(request, reply, tooManyTries(reply, verdict.waitMs), begun.back);
    const { claims } = verdict;
    if (!claims)
      return fail(request, reply.code(401), 'O provedor de acesso não confirmou quem você é.', begun.back);
    const person = personOf(claims, settings);
    const by = authorAs(request, { id: null, name: person.name });
    if (begun.proves !== undefined) return prove(request, reply, { session: begun.proves, person, by });
    return signIn(request, reply, { back: begun.back, person, by });
  });
};

/** The page after a proof in a tab of its own. */
const provedPage = html`<section class="sign-in card"><h1>Confirmado</h1>
  <p>Feche esta aba, volte à anterior e continue.</p></section>`;

/** Only the browser that began has the cookie: nobody else’s answer signs it in. */
function begunIn(request: FastifyRequest, now: Date): Begun | undefined {
  const { valid, value } = request.unsignCookie(request.cookies[cookieName] ?? '');
  if (!valid || !value) return undefined;
  try {
    const begun = JSON.parse(Buffer.from(value, 'base64url').toString()) as Begun;
    return now.getTime() - begun.beganAt < answerMs ? begun : undefined;
  } catch {
    // The value of another cookie is signed, too.
    return undefined;
  }
}
