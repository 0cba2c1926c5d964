import { createHash } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Messages } from './messages.ts';
import { listPage, messagePage, refreshScript, unknownPage } from './pages.ts';

const digest = createHash('sha256').update(refreshScript).digest('base64');
const pagePolicy = `default-src 'none'; script-src 'sha256-${digest}'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; frame-src 'self'`;
// A mail's HTML is another's text: it runs nothing, loads nothing, and its links open beside the mailbox.
const mailPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-popups allow-popups-to-escape-sandbox";

type OfOne = { Params: { id: number } };

/** The mailbox over HTTP: `GET /messages` for programs, pages for people. */
export function buildMailbox(messages: Messages, logger?: FastifyBaseLogger): FastifyInstance {
  const app = Fastify({
    ...(logger && { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
  }) as unknown as FastifyInstance;

  app.get('/health/live', async () => ({ status: 'ok' }));

  app.get('/messages', async () =>
    messages.list().map(({ to, subject, text, receivedAt }) => ({ to, subject, text, receivedAt })),
  );

  app.get('/', async (_request, reply) =>
    reply.headers(headersOf(pagePolicy)).send(String(listPage(messages.list()))),
  );

  const schema = { params: { type: 'object', properties: { id: { type: 'integer' } } } };
  app.get<OfOne>('/mails/:id', { schema }, async (request, reply) => {
    const message = messages.find(request.params.id);
    const content = message ? messagePage(message) : unknownPage();
    return reply
      .code(message ? 200 : 404)
      .headers(headersOf(pagePolicy))
      .send(String(content));
  });

  app.get<OfOne>('/mails/:id/html', { schema }, async (request, reply) => {
    const message = messages.find(request.params.id);
    return reply
      .code(message ? 200 : 404)
      .headers(headersOf(mailPolicy))
      .send(message ? inNewTabs(message.html) : '');
  });
  return app;
}

/** @returns the HTML with links that open beside the mailbox; its doctype stays first */
function inNewTabs(html: string): string {
  return html.replace(/<head>|$/, (head) => `${head}<base target="_blank">`);
}

const headersOf = (policy: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});
