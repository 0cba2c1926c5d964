import type { FastifyInstance } from 'fastify';
import { Problem } from '../problem.ts';
import { showWebhook } from '../shapes.ts';
import { type ListQuery, listQuery, page, rangeOf } from './paging.ts';

type Params = { chave: string };

const INVALID = 'WebhookOperacaoInvalida';
const params = { type: 'object', properties: { chave: { type: 'string', maxLength: 77 } } };
const registration = { $ref: 'api-pix#/definitions/WebhookSolicitado' };
const range = listQuery({});

/** `PUT`, `GET` and `DELETE /webhook/{chave}`: where a key's Pix are reported. `GET /webhook` lists these addresses. */
export function webhook(app: FastifyInstance): void {
  app.put<{ Params: Params; Body: { webhookUrl: string } }>(
    '/webhook/:chave',
    {
      schema: { params, body: registration },
      config: { apiPix: { operation: 'putWebhook', scope: 'webhook.write', invalid: INVALID } },
    },
    async (request, reply) => {
      const { rules, callbacks } = app.bank;
      const { chave } = request.params;
      const { webhookUrl } = request.body;
      if (app.bank.key !== null && chave !== app.bank.key)
        throw refused('A chave não pertence a este recebedor.');
      const post = (body: unknown) => callbacks.probe(webhookUrl, body);
      await rules.register({ url: webhookUrl, headers: request.headers, post });
      app.bank.ledger.save({ webhook: { key: chave, url: webhookUrl, createdAt: app.bank.clock.now() } });
      return reply.code(rules.registeredStatus).send(rules.showRegistered(webhookUrl));
    },
  );

  app.get<{ Querystring: ListQuery }>(
    '/webhook',
    {
      schema: { querystring: range },
      config: {
        apiPix: { operation: 'listWebhook', scope: 'webhook.read', invalid: 'WebhookConsultaInvalida' },
      },
    },
    async ({ query }) => {
      const { from, to } = rangeOf(query, 'WebhookConsultaInvalida');
      const all = [...app.bank.ledger.webhooks.values()];
      const within = all.filter(({ createdAt }) => createdAt >= from && createdAt <= to);
      const { items, parametros } = page(within, query);
      return { parametros, webhooks: items.map(showWebhook) };
    },
  );

  app.get<{ Params: Params }>(
    '/webhook/:chave',
    { schema: { params }, config: { apiPix: { operation: 'getWebhook', scope: 'webhook.read' } } },
    async (request) => showWebhook(find(app, request.params.chave)),
  );

  app.delete<{ Params: Params }>(
    '/webhook/:chave',
    { schema: { params }, config: { apiPix: { operation: 'deleteWebhook', scope: 'webhook.write' } } },
    async (request, reply) => {
      app.bank.ledger.save({ webhookRemoved: find(app, request.params.chave).key });
      return reply.code(204).send();
    },
  );
}

function find(app: FastifyInstance, key: string) {
  const found = app.bank.ledger.webhooks.get(key);
  if (!found) throw new Problem(404, 'WebhookNaoEncontrado', 'Não há webhook para esta chave.');
  return found;
}

function refused(detail: string): Problem {
  return new Problem(400, INVALID, detail);
}
