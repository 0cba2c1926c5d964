import { ping } from '@payments/database/health';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { answerOf, errorAnswersOf } from '../docs/answers.ts';
import { errors } from '../errors/errors.ts';

const ok = Type.Unsafe<string>({
  type: 'string',
  enum: ['ok'],
  description: 'Always `ok`; anything else is an error.',
});
const Liveness = Type.Object({ status: ok }, { $id: 'Liveness', description: 'The process runs.' });
const Readiness = Type.Object(
  {
    status: ok,
    nats: Type.Unsafe<string>({
      type: 'string',
      enum: ['connected', 'unavailable'],
      description: 'Without NATS payments go on; events wait in the database until it is back.',
    }),
  },
  { $id: 'Readiness', description: 'The process can serve.' },
);
const tags = ['Health'];

/**
 * `/health/live`: the process runs. `/health/ready`: it can serve, which needs the database but neither NATS nor the
 * PSP (Contract: without neighbours), and it has not been told to stop.
 */
export async function healthRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  for (const schema of [Liveness, Readiness]) app.addSchema(schema);
  const live = {
    operationId: 'live',
    summary: 'Liveness',
    description: 'Answers as long as the process runs, whatever it depends on does.',
    tags,
    security: [],
    response: { 200: answerOf('The process runs.', Type.Ref('Liveness')), ...errorAnswersOf() },
  };
  app.get('/health/live', { schema: live, config: { unlogged: true } }, async () => ({ status: 'ok' }));

  const ready = {
    operationId: 'ready',
    summary: 'Readiness',
    description:
      'Answers 200 while the process can serve: the database is there, and it has not been told to stop.',
    tags,
    security: [],
    response: {
      200: answerOf('The process can serve.', Type.Ref('Readiness')),
      ...errorAnswersOf('unavailable'),
    },
  };
  app.get('/health/ready', { schema: ready, config: { unlogged: true } }, async () => {
    if (!context.isAccepting()) throw errors.unavailable();
    await ping(context.db);
    return { status: 'ok', nats: context.isNatsConnected() ? 'connected' : 'unavailable' };
  });
}
