import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitByAddress } from '../../address-limit.ts';
import { secretCheck } from '../../authentication/secret-check.ts';
import type { ApiContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../html.ts';
import { textOf } from '../forms/form-values.ts';
import { alert } from '../page/alert.ts';
import { textField } from '../page/fields.ts';
import { postForm } from '../page/forms.ts';
import { sendPage } from '../page/send-page.ts';

const failuresAtMost = 10;
const longestName = 100;
const windowMs = 10 * 60_000;
const ownPath = /^\/panel(?:[/?][\w\-./?=&%]*)?$/;

/** The sign-in with the admin key, and the sign-out. */
export async function signInRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  const isAdminKey = secretCheck(context.adminKey);
  // Only wrong keys are counted and limited: a guesser behind the same proxy must not lock out the others.
  const countFailure = await limitByAddress(app, { max: failuresAtMost, windowMs });

  app.get<{ Querystring: { back?: unknown } }>('/sign-in', async (request, reply) => {
    const back = backFrom(request.query.back);
    if (request.panelSession) return reply.redirect(back, 303);
    return show(request, reply, { back });
  });

  app.post('/sign-in', { preHandler: app.csrfProtection }, async (request, reply) => {
    const back = backFrom(textOf(request.body, 'back'));
    if (!isAdminKey(textOf(request.body, 'key'))) {
      request.log.warn('a sign-in to the panel failed');
      return refuse(request, reply, { back, waitSeconds: await countFailure(request) });
    }
    request.log.info('signed in to the panel');
    const name = textOf(request.body, 'name').replaceAll('\0', '').slice(0, longestName);
    reply.signIn(name || null);
    return reply.redirect(back, 303);
  });

  app.post('/sign-out', { preHandler: app.csrfProtection }, async (_request, reply) => {
    await reply.signOut();
    return reply.redirect('/panel/sign-in', 303);
  });
}

/** Accepts only the panel's own pages, so that a link can't redirect elsewhere after the sign-in. */
function backFrom(value: unknown): string {
  const isOwn = typeof value === 'string' && ownPath.test(value) && !value.includes('//');
  return isOwn && !value.startsWith('/panel/sign-') ? value : '/panel';
}

/** @param waitSeconds seconds to wait, if the address has tried too often */
function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { back, waitSeconds }: { back: string; waitSeconds: number | undefined },
): FastifyReply {
  if (waitSeconds === undefined)
    return show(request, reply.code(401), { back, error: 'Chave de administração inválida.' });
  const minutes = Math.ceil(waitSeconds / 60);
  const error = `Muitas tentativas. Tente de novo em ${minutes} ${minutes === 1 ? 'minuto' : 'minutos'}.`;
  return show(request, reply.code(429).header('retry-after', String(waitSeconds)), { back, error });
}

function show(
  request: FastifyRequest,
  reply: FastifyReply,
  state: { back: string; error?: string },
): FastifyReply {
  return sendPage(request, reply, { title: 'Entrar', content: (csrf) => form(csrf, state) });
}

function form(csrf: string, { back, error }: { back: string; error?: string }): SafeHtml {
  return html`<section class="sign-in card">
    <h1>Entrar</h1>
    <p class="muted">Use a chave de administração deste serviço.</p>
    ${error ? alert('error', error) : nothing}
    ${postForm(
      { csrf, action: '/panel/sign-in' },
      html`<input type="hidden" name="back" value="${back}">
        ${textField({ name: 'key', label: 'Chave de administração', type: 'password', autocomplete: 'current-password', required: true, autofocus: true })}
        ${textField({ name: 'name', label: 'Seu nome', autocomplete: 'name', hint: 'Aparece no histórico do que você mudar.' })}
        <button class="button primary wide">Entrar</button>`,
    )}
  </section>`;
}
