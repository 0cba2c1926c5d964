import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { ApiError } from '../../http/errors/api-error.ts';
import { asApiError } from '../../http/errors/error-answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { html } from '../../pages/html.ts';
import { sendPage } from './send-page.ts';

/** Errors as pages: a message without internals, and a way back. */
export const errorPages = fastifyPlugin(
  async (app) => {
    app.setErrorHandler(showError);
    app.setNotFoundHandler((request, reply) => showError(errors.pageNotFound(), request, reply));
  },
  { name: 'panel-error-pages' },
);

function showError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { statusCode, message, headers } = asPageError(error);
  if (statusCode >= 500) request.log.error({ err: error }, 'request failed');
  void reply.code(statusCode).headers(headers);
  return sendPage(request, reply, {
    title: 'Erro',
    content: () => html`<section class="empty">
      <p class="muted">Erro ${statusCode}</p>
      <h1>${message}</h1>
      <p><a class="button" href="/panel">Voltar ao início</a></p>
    </section>`,
  });
}

function asPageError(error: unknown): ApiError {
  if (isForged(error)) return errors.formExpired();
  const told = asApiError(error);
  return told.kind === 'roleMayNot' ? errors.pageNotAllowed() : told;
}

function isForged(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'FST_CSRF_MISSING_SECRET' || code === 'FST_CSRF_INVALID_TOKEN';
}
