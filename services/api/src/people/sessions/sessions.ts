import {
  deleteSession,
  findSession,
  insertSession,
  recordSessionUse,
  type SessionFound,
} from '@payments/database/accounts/sessions';
import { newId } from '@payments/domain/identifiers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { type Actor, browserOf, holderOfAdminKey } from '../../access/actor.ts';
import { hashOf, newSecretToken } from '../../access/secrets.ts';
import type { PeopleContext } from '../../context.ts';
import { cookieAttributes, csrfCookie } from './cookies.ts';

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
  accountId: string | null;
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
    /** Begins a session under a new id, and ends the one before it: an id from before the sign-in is worth nothing. */
    startSession(start: SessionStart): Promise<void>;
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
      const { accountId, complete = true } = start;
      const lasts = complete ? sessionMs : halfSessionMs;
      const createdAt = now();
      const expiresAt = new Date(createdAt.getTime() + lasts);
      const [address, browser] = [request.ip, browserOf(request)];
      const times = { createdAt, expiresAt };
      await insertSession(db, { id: newId(), hash, accountId, complete, address, browser, ...times });
      void this.setCookie(cookieName, token, { ...attributes, maxAge: lasts / 1_000 });
    });
    app.decorateReply('endSession', async function (this: FastifyReply) {
      const { signed: _, ...options } = attributes;
      void this.clearCookie(cookieName, options).clearCookie(csrfCookie, options);
      await deleteCurrent(context, this.request);
    });
    app.addHook('onRequest', async (request) => {
      const { valid, value } = request.unsignCookie(request.cookies[cookieName] ?? '');
      const session =
        valid && value ? await findSession(db, hashOf(value), sessionMoment(context)) : undefined;
      if (!session) return;
      enter(request, session);
      // An open page asks by itself for ever: that is no use.
      if (request.headers['x-panel-live'] !== undefined) return;
      await recordSessionUse(db, session, { now: now(), everyMs });
    });
  },
  { name: 'panel-sessions', dependencies: ['panel-cookies'] },
);

/** Requires a session on every page of its scope, and redirects to the sign-in without one. */
export const requireSession = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.panelSession) return;
      return askToSignIn(request, reply);
    });
  },
  { name: 'panel-require-session' },
);

function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A 401 stops the live updates of an open page.
  if (request.headers['x-panel-live'] !== undefined) return reply.code(401).send();
  const back = request.method === 'GET' ? `?back=${encodeURIComponent(request.url)}` : '';
  return reply.redirect(`/panel/sign-in${back}`, 303);
}

const ownPath = /^\/panel(?:[/?][\w\-./?=&%]*)?$/;

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
  const { id, name, role, storeId } = account;
  return { kind: 'account', id, name, role, storeId };
}

async function deleteCurrent(
  { db }: Pick<PeopleContext, 'db'>,
  { panelSession, halfSession }: FastifyRequest,
): Promise<void> {
  const session = panelSession ?? halfSession;
  if (session) await deleteSession(db, session.id);
}
