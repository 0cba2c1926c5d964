import { updateStore } from '@payments/database/stores/stores';
import { listTokens } from '@payments/database/stores/tokens';
import type { WebhookSecrets } from '@payments/database/stores/webhook-secrets';
import { may } from '@payments/domain/roles';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readStoreFields } from '../../admin/stores/store-fields.ts';
import { type IssuedToken, issueToken } from '../../admin/tokens/issue-token.ts';
import { renewSecret, secretsInForce, showSecrets } from '../../admin/webhook-secrets/webhook-secret.ts';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { dateTimeOf, typedIn } from '../forms/form-values.ts';
import type { FieldError } from '../forms/judge.ts';
import { attempt } from '../forms/judge.ts';
import { notice } from '../page/notices.ts';
import { sendPage } from '../page/send-page.ts';
import { authorOf } from '../session/author.ts';
import { profile, storeOr404 } from './profile.ts';
import { formOf, readStoreChange } from './store-form.ts';
import { storeTab } from './store-tab.ts';

type Request = FastifyRequest<{ Params: { id: string }; Querystring: { done?: unknown } }>;
type Shown = {
  values?: Record<string, string>;
  wrong?: FieldError;
  issued?: IssuedToken;
  secrets?: WebhookSecrets | undefined;
  /** A notice's name. */
  said?: string;
};

/** The store tab, and those of its forms that render the tab again: with an error, or with a new token. */
export function storeTabPages(app: FastifyInstance, context: ApiContext): void {
  const show = async (request: Request, reply: FastifyReply, shown: Shown = {}) => {
    const { actor } = request;
    const store = await storeOr404(context, actor, request.params.id);
    const tokens = may(actor.role, 'manageTokens') ? await listTokens(context.db, store.id) : [];
    const { values = formOf(store), wrong, issued, secrets } = shown;
    const banks = context.banks.all().map(({ id }) => id);
    const rest = { actor, store, tokens, secrets, values, banks, wrong, issued };
    const state = { ...rest, now: context.now(), notice: notice(shown.said ?? request.query.done) };
    return sendPage(request, reply, {
      title: `${store.name}: loja`,
      section: 'stores',
      content: (csrf) => profile(store, { actor, current: 'store' }, storeTab({ csrf, ...state })),
    });
  };

  app.get('/stores/:id/store', { config: { may: 'readStores' } }, async (request: Request, reply) =>
    show(request, reply),
  );

  app.post('/stores/:id', { config: { may: 'changeStores' } }, async (request: Request, reply) => {
    const store = await storeOr404(context, request.actor, request.params.id);
    const change = () =>
      updateStore(
        context.db,
        store.id,
        readStoreFields(readStoreChange(request.body, store), context.banks),
        {
          by: authorOf(request),
          now: context.now(),
        },
      );
    const { wrong } = await attempt(change);
    if (wrong) return show(request, reply.code(400), { values: typedIn(request.body), wrong });
    return reply.redirect(`/panel/stores/${store.id}/store?done=store-saved`, 303);
  });

  const managing = { config: { may: 'manageTokens' as const } };
  app.post('/stores/:id/tokens', managing, async (request: Request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const issue = () => issueToken(context, id, dateTimeOf(request.body, 'expiresAt'), authorOf(request));
    const { result, wrong } = await attempt(issue);
    if (wrong) return show(request, reply.code(400), { wrong });
    if (!result) throw errors.storeNotFound();
    return show(request, reply, { issued: result });
  });

  const keeping = { config: { may: 'manageWebhookSecret' as const } };
  app.post('/stores/:id/webhook-secret/show', keeping, async (request: Request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    return show(request, reply, { secrets: await showSecrets(context, id, authorOf(request)) });
  });

  app.post('/stores/:id/webhook-secret/rotate', keeping, async (request: Request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    await renewSecret(context, id, authorOf(request));
    return show(request, reply, { secrets: await secretsInForce(context, id), said: 'secret-rotated' });
  });
}
