import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { html } from './page-content.ts';
import { script } from './page-script.ts';

const digest = createHash('sha256').update(script).digest('base64');
const policy = `default-src 'none'; script-src 'sha256-${digest}'; style-src 'unsafe-inline'; connect-src 'self'`;

/** `/`: the payer's side as a page. Paste a code, see what it says, pay it. */
export function page(app: FastifyInstance): void {
  app.get('/', async (_request, reply) => {
    return reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);
  });
}
