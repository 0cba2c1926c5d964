import { updateStore } from '@payments/database/stores/stores';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { readStoreFields } from '../../admin/stores/store-fields.ts';
import { issueToken } from '../../admin/tokens/issue-token.ts';
import { renewSecret, showSecrets } from '../../admin/webhook-secrets/webhook-secret.ts';
import { storeOr404 } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { dateTimeOf, typedIn } from '../forms/form-values.ts';
import { attempt } from '../forms/judge.ts';
import { authorOf } from '../session/author.ts';
import { type Shown, showStoreTab, type TabRequest } from './show-store-tab.ts';
import { readStoreChange } from './store-form.ts';

/** The store tab, and those of its forms that render the tab again: with an error, a new token, or the secret. */
export function storeTabPages(app: FastifyInstance, context: ApiContext): void {
  const show = (request: TabRequest, reply: FastifyReply, shown?: Shown) =>
    showStoreTab(context, request, reply, shown);

  app.get('/stores/:id/store', { config: { may: 'readStores' } }, async (request: TabRequest, reply) =>
    show(request, reply),
  );

  app.post('/stores/:id', { config: { may: 'changeStores' } }, async (request: TabRequest, reply) => {
    const store = await storeOr404(context, request.actor, request.params.id);
    const { wrong } = await attempt(() => {
      const fields = readStoreFields(readStoreChange(request.body, store), context.banks);
      return updateStore(context.db, store.id, fields, { by: authorOf(request), now: context.now() });
    });
    if (wrong) return show(request, reply.code(400), { values: typedIn(request.body), wrong });
    return reply.redirect(`/panel/stores/${store.id}/store?done=store-saved`, 303);
  });

  const managing = { config: { may: 'manageTokens' as const } };
  app.post('/stores/:id/tokens', managing, async (request: TabRequest, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const issue = () => issueToken(context, id, dateTimeOf(request.body, 'expiresAt'), authorOf(request));
    const { result: issued, wrong } = await attempt(issue);
    return wrong ? show(request, reply.code(400), { wrong }) : show(request, reply, { issued });
  });

  const keeping = { config: { may: 'manageWebhookSecret' as const } };
  app.post('/stores/:id/webhook-secret/show', keeping, async (request: TabRequest, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    return show(request, reply, { secrets: await showSecrets(context, id, authorOf(request)) });
  });

  app.post('/stores/:id/webhook-secret/rotate', keeping, async (request: TabRequest, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const secrets = await renewSecret(context, id, authorOf(request));
    return show(request, reply, { secrets, said: 'secret-rotated' });
  });
}
