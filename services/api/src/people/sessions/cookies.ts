import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { keyFor } from '../../access/secrets.ts';
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
