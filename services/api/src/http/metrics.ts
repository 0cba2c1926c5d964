import type { Registry } from '@payments/metrics/registry';
import type { FastifyInstance } from 'fastify';

/** `GET /metrics` for Prometheus, on the admin listener only. */
export async function metricsRoute(
  app: FastifyInstance,
  { register }: { register: Registry },
): Promise<void> {
  app.get('/metrics', { schema: { hide: true }, config: { unlogged: true } }, async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
}
