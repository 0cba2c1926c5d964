import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import { endSession, isSessionEnded } from '@payments/database/operations/ended-sessions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { holderOfAdminKey } from '../../authentication/actor.ts';
import type { ApiContext } from '../../context.ts';
import { endOf, keyFor, newSession, readSession, type Session, sessionMs, writeSession } from './session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The person signed in to the panel, if any. */
    panelSession: Session | undefined;
  }
  interface FastifyReply {
    /** @param name the person's name, as typed */
    signIn(name: string | null): void;
    signOut(): Promise<void>;
  }
}

type CookieContext = Pick<ApiContext, 'adminKey' | 'adminUrl' | 'db' | 'now'>;

const cookieName = 'panel_session';
// Lax lets a colleague open a link to a payment without a new sign-in. It is safe because no GET changes data.
const ofEvery = { path: '/panel', httpOnly: true, sameSite: 'lax', signed: true } as const;

/** Signed session cookies, and form tokens against forged posts (CSRF). */
export const cookies = fastifyPlugin(
  async (app, { context: { adminKey, adminUrl, db, now } }: { context: CookieContext }) => {
    // The configuration decides, since a proxy may forget the header that says https.
    const attributes = { ...ofEvery, secure: adminUrl.startsWith('https:') };
    await app.register(cookie, { secret: keyFor('cookies', adminKey) });
    await app.register(csrfProtection, {
      cookieKey: 'panel_csrf',
      cookieOpts: attributes,
      csrfOpts: { userInfo: true, hmacKey: keyFor('forms', adminKey).toString('base64url') },
      // A token is valid for one session only.
      getUserInfo: csrfUser,
      getToken: (request) => (request.body as { _csrf?: string } | undefined)?._csrf ?? '',
    });
    app.decorateRequest('panelSession', undefined);
    app.decorateRequest('actor');
    app.decorateReply('signIn', function (this: FastifyReply, name: string | null) {
      const session = newSession(now(), name);
      const options = { ...attributes, maxAge: sessionMs / 1_000 };
      void this.setCookie(cookieName, writeSession(session), options);
    });
    app.decorateReply('signOut', async function (this: FastifyReply) {
      const { signed: _, ...options } = attributes;
      void this.clearCookie(cookieName, options).clearCookie('panel_csrf', options);
      const session = this.request.panelSession;
      if (session) await endSession(db, { id: session.id, endsAt: endOf(session), now: now() });
    });
    app.addHook('onRequest', async (request) => {
      const { valid, value } = request.unsignCookie(request.cookies[cookieName] ?? '');
      const session = valid && value ? readSession(value, now()) : undefined;
      if (!session || (await isSessionEnded(db, session.id))) return;
      request.panelSession = session;
      request.actor = { ...holderOfAdminKey, name: session.name ?? holderOfAdminKey.name };
    });
  },
  { name: 'panel-cookies' },
);

/** @returns the token for the forms of this response */
export function csrfToken(request: FastifyRequest, reply: FastifyReply): string {
  return reply.generateCsrf({ userInfo: csrfUser(request) });
}

function csrfUser(request: FastifyRequest): string {
  return request.panelSession?.id ?? 'nobody';
}
