import { redeliverMany } from '@payments/database/deliveries/redeliver';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { storeFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { readId } from '../../http/field-values.ts';
import { dateTimeOf, textOf } from '../kit/form-values.ts';
import { linkTo } from '../kit/pagination.ts';

/** The action behind the list's button. */
export function deliveryActions(app: FastifyInstance, { db, now }: AdministrationContext): void {
  app.post('/deliveries/redeliver', { config: { may: 'redeliver' } }, async (request, reply) => {
    const storeId = textOf(request.body, 'storeId');
    const since = dateTimeOf(request.body, 'since');
    const filter = {
      state: 'dead' as const,
      ...storeFilter(request.actor, storeId ? readId('storeId', storeId) : undefined),
      ...(since ? { since } : {}),
    };
    const count = await redeliverMany(db, filter, { by: authorOf(request), now: now() });
    return reply.redirect(linkTo('/panel/deliveries', { storeId, count }), 303);
  });
}
