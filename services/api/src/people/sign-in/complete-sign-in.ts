import type { Account } from '@payments/database/accounts/accounts';
import { rememberPlaces } from '@payments/database/accounts/sign-in-attempts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newSecretToken } from '../../access/secrets.ts';
import type { PeopleContext } from '../../context.ts';
import { cookieAttributes } from '../sessions/cookies.ts';
import { recordSignIn } from '../sessions/record.ts';
import { placesOf, type SignInAttempt } from './known-place.ts';

const cookieName = 'panel_browser';
// The longest that browsers keep a cookie.
const keptMs = 400 * 24 * 60 * 60_000;

/** @returns the sign-in that a request tries, and from where */
export function attemptOf(request: FastifyRequest, email: string): SignInAttempt {
  const { valid, value } = request.unsignCookie(request.cookies[cookieName] ?? '');
  return { email, address: request.ip, browser: valid && value ? value : undefined };
}

/** Signs a person in who has given everything that the account asks for. */
export async function completeSignIn(
  context: PeopleContext,
  reply: FastifyReply,
  account: Account,
): Promise<void> {
  await reply.startSession({ accountId: account.id });
  await rememberPlace(context, reply, account.email);
  await recordSignIn(context, reply.request, 'sign_in', { author: account, account });
  reply.request.log.info({ accountId: account.id }, 'signed in to the panel');
}

/** Remembers address and browser of a complete sign-in: failures elsewhere do not slow it down there. */
async function rememberPlace(
  context: Pick<PeopleContext, 'adminUrl' | 'db' | 'now'>,
  reply: FastifyReply,
  email: string,
): Promise<void> {
  const attempt = attemptOf(reply.request, email);
  const browser = attempt.browser ?? newSecretToken().token;
  const maxAge = keptMs / 1_000;
  void reply.setCookie(cookieName, browser, { ...cookieAttributes(context), maxAge });
  const now = context.now();
  const oldest = new Date(now.getTime() - keptMs);
  await rememberPlaces(context.db, placesOf({ ...attempt, browser }), { now, oldest });
}
