import { updateStore } from '@payments/database/stores/stores';
import { deactivateToken } from '@payments/database/stores/tokens';
import { isId } from '@payments/domain/identifiers';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { attempt, dateTimeOf, textOf, typedIn } from '../kit/form-values.ts';
import { issueToken } from './issue-token.ts';
import { type Shown, showStoreTab, type TabRequest } from './show-store-tab.ts';
import { readStoreFields } from './store-fields.ts';
import { readStoreChange } from './store-form.ts';
import { renewSecret, showSecrets } from './webhook-secret.ts';

/** The store tab and its forms. Some render the tab again: with an error, a new token, or the secret. */
export function storeTabPages(app: FastifyInstance, context: AdministrationContext): void {
  const { db, now } = context;
  type Store = { Params: { id: string } };
  const tab = (id: string, done: string) => `/panel/stores/${id}/store?done=${done}`;
  const show = (request: TabRequest, reply: FastifyReply, shown?: Shown) =>
    showStoreTab(context, request, reply, shown);

  app.get('/stores/:id/store', { config: { may: 'readStores' } }, async (request: TabRequest, reply) =>
    show(request, reply),
  );

  app.post('/stores/:id', { config: { may: 'changeStores' } }, async (request: TabRequest, reply) => {
    const store = await storeOr404(context, request.actor, request.params.id);
    const { wrong } = await attempt(() => {
      const fields = readStoreFields(readStoreChange(request.body, store), context.banks);
      return updateStore(db, store.id, fields, { by: authorOf(request), now: now() });
    });
    if (wrong) return show(request, reply.code(400), { values: typedIn(request.body), wrong });
    return reply.redirect(tab(store.id, 'store-saved'), 303);
  });

  app.post<Store>('/stores/:id/active', { config: { may: 'changeStores' } }, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const active = textOf(request.body, 'active') === 'true';
    await updateStore(db, id, { active }, { by: authorOf(request), now: now() });
    return reply.redirect(tab(id, active ? 'store-activated' : 'store-deactivated'), 303);
  });

  const managing = { may: 'manageTokens' } as const;
  const creating = { ...managing, proof: { to: 'gerar o token' } };
  app.post('/stores/:id/tokens', { config: creating }, async (request: TabRequest, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const issue = () => issueToken(context, id, dateTimeOf(request.body, 'expiresAt'), authorOf(request));
    const { result: issued, wrong } = await attempt(issue);
    return wrong ? show(request, reply.code(400), { wrong }) : show(request, reply, { issued });
  });

  type Token = { Params: { id: string; tokenId: string } };
  const deactivating = { ...managing, proof: { to: 'desativar o token' } };
  app.post<Token>(
    '/stores/:id/tokens/:tokenId/deactivate',
    { config: deactivating },
    async (request, reply) => {
      const { tokenId: id } = request.params;
      const { id: storeId } = await storeOr404(context, request.actor, request.params.id);
      const found = isId(id) && (await deactivateToken(db, { id, storeId, now: now() }, authorOf(request)));
      if (!found) throw errors.tokenNotFound();
      return reply.redirect(`${tab(storeId, 'token-deactivated')}#tokens`, 303);
    },
  );

  const keeping = { may: 'manageWebhookSecret' } as const;
  const showing = { ...keeping, proof: { to: 'ver o segredo dos webhooks' } };
  app.post('/stores/:id/webhook-secret/show', { config: showing }, async (request: TabRequest, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    return show(request, reply, { secrets: await showSecrets(context, id, authorOf(request)) });
  });

  const rotating = { ...keeping, proof: { to: 'trocar o segredo dos webhooks' } };
  app.post('/stores/:id/webhook-secret/rotate', { config: rotating }, async (request: TabRequest, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const secrets = await renewSecret(context, id, authorOf(request));
    return show(request, reply, { secrets, said: 'secret-rotated' });
  });
}
