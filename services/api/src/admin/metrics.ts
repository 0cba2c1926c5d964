import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, register } from 'prom-client';

/** `GET /metrics`, for Prometheus: on the admin listener only. */
export async function metricsRoute(app: FastifyInstance): Promise<void> {
  if (!register.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics();
  app.get('/metrics', { schema: { hide: true }, logLevel: 'warn' }, async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
}
