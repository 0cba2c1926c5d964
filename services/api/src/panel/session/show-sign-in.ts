import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { sendPage } from '../page/send-page.ts';
import { type SignInForm, signInForm } from './sign-in-form.ts';

/** Sends the sign-in page with the reply's status code. */
export function showSignIn(
  { singleSignOn }: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Omit<SignInForm, 'issuer'>,
): FastifyReply {
  const issuer = singleSignOn?.issuer.hostname;
  return sendPage(request, reply, {
    title: 'Entrar',
    content: (csrf) => signInForm(csrf, { ...form, issuer }),
  });
}
