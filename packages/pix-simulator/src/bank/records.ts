import type { FastifyInstance } from 'fastify';

/**
 * The bank's notes: callbacks it made, requests that did not respect the API Pix, and requests for charges and Pix that
 * it does not have.
 */
export function records(app: FastifyInstance): void {
  app.get('/bank/callbacks', async () => ({ attempts: app.bank.callbacks.attempts }));
  app.get('/bank/violations', async () => app.bank.conformity);
  app.get('/bank/unknown', async () => ({ requests: app.bank.unknown }));
  app.delete('/bank/tokens', async (_request, reply) => {
    app.bank.access.revokeAll();
    return reply.code(204).send();
  });
}
