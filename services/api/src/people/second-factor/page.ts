import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { findAccountWithSecrets } from '@payments/database/accounts/accounts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorAs } from '../../access/actor.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { alert } from '../../administration/kit/parts.ts';
import type { PeopleContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { backFrom } from '../sessions/sessions.ts';
import { attemptOf } from '../sign-in/known-place.ts';
import { codesStopped, tooManyTries } from '../sign-in/parts.ts';
import { completeSignIn, recordRefusedSignIn } from '../sign-in/record.ts';
import { checkSecondFactor } from './actions.ts';

type Form = { back: string; error?: string };

/** The second step of a sign-in. After the password alone, only these routes are open. */
export const secondFactorPage: FastifyPluginAsyncTypebox<{ context: PeopleContext }> = async (
  app,
  { context },
) => {
  app.get('/sign-in/second-factor', async (request, reply) => {
    if (!request.halfSession) return reply.redirect('/panel/sign-in', 303);
    return show(request, reply, { back: backFrom(textOf(request.query, 'back')) });
  });

  const options = { preHandler: app.csrfProtection };
  app.post('/sign-in/second-factor', options, async (request, reply) => {
    const { halfSession } = request;
    const account = halfSession && (await findAccountWithSecrets(context.db, halfSession.accountId));
    if (!account) return reply.redirect('/panel/sign-in', 303);
    const back = backFrom(textOf(request.body, 'back'));
    const given = { code: textOf(request.body, 'code'), attempt: attemptOf(request, account.email) };
    const verdict = await checkSecondFactor(context, account, { ...given, by: authorAs(request, account) });
    if (verdict === true) {
      await completeSignIn(context, reply, account);
      return reply.redirect(back, 303);
    }
    if (typeof verdict === 'object') {
      const seconds = Math.ceil(verdict.waitMs / 1_000);
      void reply.code(429).header('retry-after', String(seconds));
      return show(request, reply, { back, error: tooManyTries(seconds) });
    }
    request.log.warn('a second factor at the panel was wrong');
    recordRefusedSignIn(context, request, { account, cause: 'second_factor' });
    if (verdict === 'stopped')
      request.log.error(
        { accountId: account.id },
        'codes are stopped: somebody who knows the password guesses them',
      );
    const error = verdict === 'stopped' ? codesStopped : 'Código incorreto ou já usado.';
    return show(request, reply.code(401), { back, error });
  });
};

function show(request: FastifyRequest, reply: FastifyReply, form: Form): FastifyReply {
  return sendPage(request, reply, { title: 'Segundo fator', content: (csrf) => page(csrf, form) });
}

function page(csrf: string, { back, error }: Form): SafeHtml {
  return html`<section class="sign-in card">
    <h1>Segundo fator</h1>
    ${error ? alert('error', error) : nothing}
    ${postForm(
      { csrf, action: '/panel/sign-in/second-factor' },
      html`<input type="hidden" name="back" value="${back}">
        ${textField({ name: 'code', label: 'Código', autocomplete: 'one-time-code', hint: 'Os 6 dígitos do seu aplicativo, ou um código de recuperação.', required: true, autofocus: true })}
        <button class="button primary wide">Entrar</button>`,
    )}
    <p class="small"><a href="/panel/sign-in">Recomeçar</a></p>
  </section>`;
}
