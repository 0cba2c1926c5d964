import { recordChange } from '@payments/database/operations/changes';
import type { Operation } from '@payments/domain/roles';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { boundBy } from '../address-limit.ts';
import type { ApiContext } from '../context.ts';

const recordedAtMost = 10;
const windowMs = 10 * 60_000;

/**
 * Nobody can shorten the record, so a flood of refusals must not fill it.
 * @returns a function that records that a role may not do an operation: a few times per actor and operation
 */
export async function recordRefusals(
  app: FastifyInstance,
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
  via: 'api' | 'panel',
): Promise<(request: FastifyRequest, operation: Operation) => Promise<void>> {
  const isWithin = await boundBy(app, { max: recordedAtMost, windowMs, keyOf: actorAndOperation });
  return async (request, operation) => {
    if (!(await isWithin(request))) return;
    const { id, name, role, storeId } = request.actor;
    const by = { name, id, via, reason: null, requestId: request.id };
    await recordChange(db, by, {
      action: 'operation.refused',
      at: now(),
      storeId,
      to: { operation, role },
    });
  };
}

function actorAndOperation({ actor, routeOptions }: FastifyRequest): string {
  return `${actor.id} ${routeOptions.config.may}`;
}
