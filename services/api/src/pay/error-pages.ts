import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asApiError } from '../http/errors/error-answers.ts';
import { errors } from '../http/errors/errors.ts';
import { html } from '../pages/html.ts';
import { layout, type PayerAssets } from './layout.ts';

/** Errors below `/pay` are pages, too: people open these addresses. */
export function errorPages(app: FastifyInstance, assets: PayerAssets, refused: (kind: string) => void): void {
  const show = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { statusCode, kind, headers } = asApiError(error);
    refused(kind);
    if (statusCode >= 500) request.log.error({ err: error }, 'request failed');
    const { title, advice } = told[statusCode] ?? told[503]!;
    const main = html`<main class="quiet" data-end="true"><h1>${title}</h1><p>${advice}</p></main>`;
    return reply
      .code(statusCode)
      .headers(headers)
      .type('text/html; charset=utf-8')
      .send(layout({ title, main }, assets));
  };
  app.setErrorHandler(show);
  app.setNotFoundHandler((request, reply) => show(errors.paymentNotFound(), request, reply));
}

const told: Record<number, { title: string; advice: string }> = {
  404: {
    title: 'Pagamento não encontrado',
    advice: 'Confira o endereço desta página, ou peça outro link à loja.',
  },
  429: { title: 'Muitos acessos agora', advice: 'Aguarde um minuto e recarregue a página.' },
  503: {
    title: 'Página indisponível no momento',
    advice: 'Aguarde um minuto e recarregue a página. Um Pix que você já fez não se perde.',
  },
};
