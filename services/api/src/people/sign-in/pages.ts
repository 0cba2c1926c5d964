import { hasAccounts } from '@payments/database/people/accounts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { textOf } from '../../administration/kit/form-values.ts';
import type { PeopleContext } from '../../context.ts';
import { backFrom } from '../sessions/back.ts';
import { recordSignIn } from '../sessions/record.ts';
import { adminKeySignIn } from './admin-key-sign-in.ts';
import { passwordSignIn } from './password-sign-in.ts';
import { type SignInForm, showSignIn } from './sign-in-form.ts';
import { tooManyTries } from './too-many-tries.ts';

/** Seconds to wait, if there were too many tries; else the reason for the refusal. */
export type Refusal = { waitSeconds: number } | { reason: string };

/** @returns the refusal, or undefined after it signed the person in */
export type SignIn = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Refusal | 'second_factor' | undefined>;

/** The sign-in with e-mail and password, the one with `ADMIN_KEY`, and the sign-out. */
export async function signInRoutes(app: FastifyInstance, context: PeopleContext): Promise<void> {
  const withKey = adminKeySignIn(app, context);
  const withPassword = passwordSignIn(context);

  type Query = { Querystring: { back?: unknown; with?: unknown } };
  app.get<Query>('/sign-in', async (request, reply) => {
    const back = backFrom(request.query.back);
    if (request.panelSession) return reply.redirect(back, 303);
    return showSignIn(context, request, reply, { with: await wayOf(context, request.query.with), back });
  });

  app.post('/sign-in', { preHandler: app.csrfProtection }, async (request, reply) => {
    const back = backFrom(textOf(request.body, 'back'));
    const way = textOf(request.body, 'key') === '' ? 'password' : 'key';
    const refusal = await (way === 'key' ? withKey : withPassword)(request, reply);
    if (refusal === undefined) return reply.redirect(back, 303);
    if (refusal === 'second_factor')
      return reply.redirect(`/panel/sign-in/second-factor?back=${encodeURIComponent(back)}`, 303);
    return refuse(context, request, reply, { with: way, back }, refusal);
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
  const { waitSeconds } = refusal;
  void reply.code(429).header('retry-after', String(waitSeconds));
  return showSignIn(context, request, reply, { ...form, error: tooManyTries(waitSeconds) });
}
