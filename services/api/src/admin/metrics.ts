import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** `GET /metrics`, for Prometheus: on the admin listener only. */
export async function metricsRoute(app: FastifyInstance): Promise<void> {
  const register = new Registry();
  collectDefaultMetrics({ register });
  app.get('/metrics', { schema: { hide: true }, config: { unlogged: true } }, async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
}
