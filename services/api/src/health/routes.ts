import { ping } from '@payments/database/health';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { errors } from '../errors/errors.ts';
import { errorAnswersOf } from '../payments/schemas.ts';

const Live = Type.Object({ status: Type.String() });
const Ready = Type.Object({ status: Type.String(), nats: Type.String() });
const tags = ['Health'];

/**
 * `/health/live`: the process runs. `/health/ready`: it can serve, which needs the database but neither NATS nor the
 * PSP (design 7.7), and it has not been told to stop.
 */
export async function healthRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  const live = { operationId: 'live', summary: 'The process runs', tags, response: { 200: Live } };
  app.get('/health/live', { schema: live, config: { unlogged: true } }, async () => ({ status: 'ok' }));

  const response = { 200: Ready, ...errorAnswersOf(503) };
  const ready = { operationId: 'ready', summary: 'The process can serve', tags, response };
  app.get('/health/ready', { schema: ready, config: { unlogged: true } }, async () => {
    if (!context.isAccepting()) throw errors.unavailable();
    await ping(context.db);
    return { status: 'ok', nats: context.isNatsConnected() ? 'connected' : 'unavailable' };
  });
}
