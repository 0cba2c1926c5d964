import type { Operation } from '@payments/domain/roles';
import type { FastifyRequest } from 'fastify';
import { recordAct } from '../administration/record/record-repeated.ts';
import type { PeopleContext } from '../context.ts';
import { originOf } from './origin.ts';

/** Records that a role may not do an operation. */
export async function recordRefusal(
  context: Pick<PeopleContext, 'db' | 'now'>,
  request: FastifyRequest,
  { operation, via }: { operation: Operation; via: 'api' | 'panel' },
): Promise<void> {
  const { id, name, role, storeId } = request.actor;
  const by = { name, id, via, reason: null, ...originOf(request) };
  const to = { operation, role };
  await recordAct(context, by, { action: 'operation.refused', storeId, to, kind: operation });
}
