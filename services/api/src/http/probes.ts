import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Registry } from '@payments/metrics/registry';
import { Type } from '@sinclair/typebox';
import type { HealthContext } from '../context.ts';
import { answerOf, errorAnswersOf } from './answers.ts';
import { errors } from './errors/errors.ts';

const ok = Type.Unsafe<string>({
  type: 'string',
  enum: ['ok'],
  description: 'Always `ok`.',
});
const Liveness = Type.Object({ status: ok }, { $id: 'Liveness', description: 'The process runs.' });
const Readiness = Type.Object(
  {
    status: ok,
    nats: Type.Unsafe<string>({
      type: 'string',
      enum: ['connected', 'unavailable'],
      description: 'Payments and webhooks go on without NATS. Events for the stream wait in the database.',
    }),
  },
  { $id: 'Readiness', description: 'The process can serve.' },
);
const tags = ['Health'];

/**
 * `/health/live`: the process runs. `/health/ready`: the database responds and the process is not stopping.
 * Readiness needs neither NATS nor the PSP (Contract: without neighbours).
 */
export const healthRoutes: FastifyPluginAsyncTypebox<{ context: HealthContext }> = async (
  app,
  { context },
) => {
  for (const schema of [Liveness, Readiness]) app.addSchema(schema);
  // Compiling these small answers would delay the first one, and so every start until it is ready.
  app.setSerializerCompiler(() => JSON.stringify);
  const live = {
    operationId: 'live',
    summary: 'Liveness',
    description: 'Responds with 200 while the process runs, even if its dependencies are away.',
    tags,
    security: [],
    response: { 200: answerOf('The process runs.', Type.Ref('Liveness')), ...errorAnswersOf() },
  };
  app.get('/health/live', { schema: live, config: { unlogged: true } }, async () => ({ status: 'ok' }));

  const ready = {
    operationId: 'ready',
    summary: 'Readiness',
    description: 'Responds with 200 while the database responds and the process is not stopping.',
    tags,
    security: [],
    response: {
      200: answerOf('The process can serve.', Type.Ref('Readiness')),
      ...errorAnswersOf('unavailable'),
    },
  };
  app.get('/health/ready', { schema: ready, config: { unlogged: true } }, async () => {
    if (!context.isAccepting()) throw errors.unavailable();
    await context.ping();
    return { status: 'ok', nats: context.isNatsConnected() ? 'connected' : 'unavailable' };
  });
};

/** `GET /metrics` for Prometheus, on the admin listener only. */
export const metricsRoute: FastifyPluginAsyncTypebox<{ register: Registry }> = async (app, { register }) => {
  app.get('/metrics', { schema: { hide: true }, config: { unlogged: true } }, async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
};
