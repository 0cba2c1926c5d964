import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import { hasOwnerWithFactor } from '@payments/database/accounts/accounts';
import {
  deleteSession,
  findSession,
  insertSession,
  type Judged,
  recordSessionUse,
  type SessionFound,
} from '@payments/database/accounts/sessions';
import { newId } from '@payments/domain/identifiers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { type Actor, browserOf, holderOfAdminKey } from '../../access/actor.ts';
import { hashOf, keyFor, newSecretToken } from '../../access/secrets.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';

// Lax lets a colleague open a link to a payment without a new sign-in. It is safe because no GET changes data.
const ofEvery = { path: '/panel', httpOnly: true, sameSite: 'lax', signed: true } as const;

export type CookieAttributes = typeof ofEvery & { secure: boolean };

/** @returns the attributes of the panel's cookies; the configuration decides, since a proxy may forget to say https */
export function cookieAttributes({ adminUrl }: Pick<PeopleContext, 'adminUrl'>): CookieAttributes {
  return { ...ofEvery, secure: adminUrl.startsWith('https:') };
}

type CookieContext = Pick<PeopleContext, 'adminKey' | 'adminKeys' | 'adminUrl'>;

/** Signed cookies, and form tokens against forged posts (CSRF). */
export const cookies = fastifyPlugin(
  async (app, { context }: { context: CookieContext }) => {
    const { adminKey, adminKeys } = context;
    await app.register(cookie, { secret: adminKeys.map((key) => signingKey('cookies', key)) });
    await app.register(csrfProtection, {
      cookieKey: csrfCookie,
      cookieOpts: cookieAttributes(context),
      csrfOpts: { userInfo: true, hmacKey: signingKey('forms', adminKey) },
      // A token is valid for one session only.
      getUserInfo: csrfUser,
      getToken: (request) => (request.body as { _csrf?: string } | undefined)?._csrf ?? '',
    });
  },
  { name: 'panel-cookies' },
);

/** A key as text: with bytes, Node takes six times as long for each signature. */
const signingKey = (purpose: string, secret: string) => keyFor(purpose, secret).toString('base64url');

export const csrfCookie = 'panel_csrf';

/** @returns the token for the forms of this response */
export function csrfToken(request: FastifyRequest, reply: FastifyReply): string {
  return reply.generateCsrf({ userInfo: csrfUser(request) });
}

function csrfUser({ panelSession, halfSession }: FastifyRequest): string {
  return panelSession?.id ?? halfSession?.id ?? 'nobody';
}

/** Refuses posts from other sites before their body is read. */
export const ownOrigin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async ({ method, headers }) => {
      const site = headers['sec-fetch-site'];
      if (method === 'POST' && site !== undefined && site !== 'same-origin') throw errors.formExpired();
    });
  },
  { name: 'panel-own-origin' },
);

/** A session of the panel. `accountId` is null for the holder of `ADMIN_KEY`. */
export type Session = {
  id: string;
  accountId: string | null;
  /** When the person last proved who they are. */
  provedAt: Date;
  /** Whether a second factor is set up here, or the account is the single sign-on's. */
  hasFactor: boolean;
  isSignedOn: boolean;
};

/** A session after the password, before the second factor. */
export type HalfSession = { id: string; accountId: string };

export type SessionStart = {
  /** The account by which the person was judged; null for the holder of `ADMIN_KEY`. */
  judged: Judged | null;
  /** False until the second factor is given. */
  complete?: boolean;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the person signed in to the panel, if any. */
    panelSession: Session | undefined;
    /** May give the second factor, and nothing else. */
    halfSession: HalfSession | undefined;
  }
  interface FastifyReply {
    /**
     * Begins a session under a new id, and ends the one before it: an id from before the sign-in is worth nothing.
     * @returns false if the judged account has changed meanwhile: then there is none
     */
    startSession(start: SessionStart): Promise<boolean>;
    endSession(): Promise<void>;
  }
}

const cookieName = 'panel_session';
const sessionMs = 8 * 60 * 60_000;
const halfSessionMs = 10 * 60_000;
const useRecordedMs = 60_000;

/** Sessions in the database: read at every request, so that one that was ended is over on every replica. */
export const sessions = fastifyPlugin(
  async (app, { context }: { context: Pick<PeopleContext, 'adminUrl' | 'db' | 'now' | 'sessionIdleMs'> }) => {
    const { db, now, sessionIdleMs } = context;
    // A use is written now and then, so a session may end that much too early.
    const everyMs = Math.min(useRecordedMs, sessionIdleMs / 10);
    const attributes = cookieAttributes(context);
    app.decorateRequest('panelSession', undefined);
    app.decorateRequest('halfSession', undefined);
    app.decorateRequest('actor');
    app.decorateRequest('via', 'panel');
    app.decorateReply('startSession', async function (this: FastifyReply, start: SessionStart) {
      const { request } = this;
      await deleteCurrent(context, request);
      const { token, hash } = newSecretToken();
      const { judged, complete = true } = start;
      const accountId = judged?.id ?? null;
      const lasts = complete ? sessionMs : halfSessionMs;
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + lasts);
      const [address, browser] = [request.ip, browserOf(request)];
      const times = { createdAt, expiresAt };
      const session = { id: newId(), hash, accountId, complete, address, browser, ...times };
      if (!(await insertSession(db, session, judged))) return false;
      void this.setCookie(cookieName, token, { ...attributes, maxAge: lasts / 1_000 });
      return true;
    });
    app.decorateReply('endSession', async function (this: FastifyReply) {
      const { signed: _, ...options } = attributes;
      void this.clearCookie(cookieName, options).clearCookie(csrfCookie, options);
      await deleteCurrent(context, this.request);
    });
    app.addHook('onRequest', async (request) => {
      const session = await sessionOf(context, request);
      if (!session) return;
      enter(request, session);
      // An open page asks by itself for ever: that is no use.
      if (request.headers['x-panel-live'] !== undefined) return;
      await recordSessionUse(db, session, { now: now(), everyMs });
    });
  },
  { name: 'panel-sessions', dependencies: ['panel-cookies'] },
);

type OpenContext = Pick<PeopleContext, 'db' | 'now' | 'sessionIdleMs'>;

async function sessionOf(context: OpenContext, request: FastifyRequest): Promise<SessionFound | undefined> {
  const { valid, value } = request.unsignCookie(request.cookies[cookieName] ?? '');
  return valid && value ? findSession(context.db, hashOf(value), sessionMoment(context)) : undefined;
}

/**
 * Requires a session on every page of its scope, and redirects to the sign-in without one. A form is asked for it again
 * once it has arrived and its turn has come. Otherwise a body that is held back would act in a session that has ended.
 */
export const requireSession = fastifyPlugin(
  async (app, { context }: { context: OpenContext }) => {
    app.addHook('onRequest', async (request, reply) => {
      // An open page names its session. Whoever signed in since in the same browser may do other things, under another name.
      const { 'x-panel-session': shown = request.panelSession?.id } = request.headers;
      if (request.panelSession && shown === request.panelSession.id) return;
      return askToSignIn(request, reply);
    });
    app.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'POST' || (await isStillIn(context, request))) return;
      return askToSignIn(request, reply);
    });
  },
  { name: 'panel-require-session' },
);

/** @returns whether the session is open, and its person's role the one that the request was admitted with */
async function isStillIn(context: OpenContext, request: FastifyRequest): Promise<boolean> {
  const session = await sessionOf(context, request);
  if (session === undefined || session.id !== request.panelSession?.id) return false;
  const { role, storeId } = actorOf(session);
  return role === request.actor.role && storeId === request.actor.storeId;
}

function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A 401 stops the live updates of an open page.
  if (request.headers['x-panel-live'] !== undefined) return reply.code(401).send();
  // A file would leave the person at the sign-in: the list that offers it opens instead.
  const page = request.url.replace(/\.csv(?=\?|$)/, '');
  const said = request.method === 'POST' ? `done=${notSent}` : `back=${encodeURIComponent(page)}`;
  return reply.redirect(`/panel/sign-in?${said}`, 303);
}

/** The sign-in's notice to who sent a form after the session's end. */
export const notSent = 'not-sent';

// A form's search has `+` for a blank, and `*` as it is.
const ownPath = /^\/panel(?:[/?][\w\-./?=&%+*]*)?$/;

/** @returns the page to go to after the sign-in: only the panel's own, so that a link can't redirect elsewhere */
export function backFrom(value: unknown): string {
  const isOwn = typeof value === 'string' && ownPath.test(value) && !value.includes('//');
  return isOwn && !value.startsWith('/panel/sign-') ? value : '/panel';
}

/** @returns now, and the time since which an open session was used */
export function sessionMoment({ now, sessionIdleMs }: Pick<PeopleContext, 'now' | 'sessionIdleMs'>) {
  const moment = now();
  return { now: moment, usedSince: new Date(moment.getTime() - sessionIdleMs) };
}

function enter(request: FastifyRequest, session: SessionFound): void {
  const { id, account, complete, provedAt } = session;
  if (complete) {
    const { id: accountId = null, hasFactor = false, isSignedOn = false } = account ?? {};
    request.panelSession = { id, accountId, provedAt, hasFactor, isSignedOn };
    request.actor = actorOf(session);
  } else if (account) {
    request.halfSession = { id, accountId: account.id };
  }
}

function actorOf({ account }: SessionFound): Actor {
  if (!account) return holderOfAdminKey;
  const { id, name, role, storeId, isOfTests } = account;
  return { kind: 'account', id, name, role, storeId, isOfTests };
}

async function deleteCurrent(
  { db }: Pick<PeopleContext, 'db'>,
  { panelSession, halfSession }: FastifyRequest,
): Promise<void> {
  const session = panelSession ?? halfSession;
  if (session) await deleteSession(db, session.id);
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Open also to a person who still has to set up a second factor. */
    withoutFactor?: boolean;
  }
  interface FastifyRequest {
    /** Whether the person must set up a second factor first. */
    isFactorMissing: boolean | undefined;
  }
}

type Context = Pick<PeopleContext, 'db' | 'requireSecondFactor'>;

/**
 * Leads a person who lacks a required second factor to “Minha conta”, whatever they ask for (Contract: people). Register
 * it after the session. The factor of a person of the single sign-on is their issuer's to ask for.
 */
export const requireFactor = fastifyPlugin(
  async (app, { context }: { context: Context }) => {
    app.decorateRequest('isFactorMissing', false);
    app.addHook('onRequest', async (request, reply) => {
      request.isFactorMissing = await lacksFactor(context, request);
      if (!request.isFactorMissing || request.routeOptions.config.withoutFactor) return;
      // A 401 stops the live updates of an open page.
      if (request.headers['x-panel-live'] !== undefined) return reply.code(401).send();
      return reply.redirect('/panel/my-account', 303);
    });
  },
  { name: 'panel-require-factor', dependencies: ['panel-require-session'] },
);

async function lacksFactor(context: Context, { actor, panelSession }: FastifyRequest): Promise<boolean> {
  const { requireSecondFactor: whose } = context;
  if (whose === 'none' || (whose === 'platform' && actor.storeId !== null)) return false;
  if (actor.kind === 'admin_key') return isAdminKeyShut(context);
  return !panelSession?.hasFactor && !panelSession?.isSignedOn;
}

/**
 * `ADMIN_KEY` has no second factor. Where one is required, the key opens the panel only until an owner has one: somebody
 * must make the first account. The administration API takes the key in any emergency.
 */
export async function isAdminKeyShut({ db, requireSecondFactor }: Context): Promise<boolean> {
  return requireSecondFactor !== 'none' && (await hasOwnerWithFactor(db));
}
