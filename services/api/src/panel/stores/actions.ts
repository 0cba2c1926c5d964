import { updateStore } from '@payments/database/stores/stores';
import { deactivateToken } from '@payments/database/stores/tokens';
import { isId } from '@payments/domain/identifiers';
import type { FastifyInstance } from 'fastify';
import { storeOr404 } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { textOf } from '../forms/form-values.ts';
import { authorOf } from '../session/author.ts';

/** The actions of the buttons on a store's tab. */
export function storeActions(app: FastifyInstance, context: ApiContext): void {
  const { db, now } = context;
  type Store = { Params: { id: string } };
  const tab = (id: string, done: string) => `/panel/stores/${id}/store?done=${done}`;

  app.post<Store>('/stores/:id/active', { config: { may: 'changeStores' } }, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const active = textOf(request.body, 'active') === 'true';
    await updateStore(db, id, { active }, { by: authorOf(request), now: now() });
    return reply.redirect(tab(id, active ? 'store-activated' : 'store-deactivated'), 303);
  });

  type Token = { Params: { id: string; tokenId: string } };
  const managing = { config: { may: 'manageTokens' as const } };
  app.post<Token>('/stores/:id/tokens/:tokenId/deactivate', managing, async (request, reply) => {
    const { tokenId: id } = request.params;
    const { id: storeId } = await storeOr404(context, request.actor, request.params.id);
    const found = isId(id) && (await deactivateToken(db, { id, storeId, now: now() }, authorOf(request)));
    if (!found) throw errors.tokenNotFound();
    return reply.redirect(`${tab(storeId, 'token-deactivated')}#tokens`, 303);
  });
}
