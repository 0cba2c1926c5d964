import { updateStore } from '@payments/database/stores/stores';
import { listTokens } from '@payments/database/stores/tokens';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readStoreFields } from '../../admin/stores/store-fields.ts';
import { type IssuedToken, issueToken } from '../../admin/tokens/issue-token.ts';
import { secretsInForce } from '../../admin/webhook-secrets/webhook-secret.ts';
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

type Request = FastifyRequest<{ Params: { id: string }; Querystring: { done?: unknown; show?: unknown } }>;
type Shown = { values?: Record<string, string>; wrong?: FieldError; issued?: IssuedToken };

/** The store tab, and those of its forms that render the tab again: with an error, or with a new token. */
export function storeTabPages(app: FastifyInstance, context: ApiContext): void {
  const show = async (request: Request, reply: FastifyReply, shown: Shown = {}) => {
    const store = await storeOr404(context, request.params.id);
    const [tokens, secrets] = await Promise.all([
      listTokens(context.db, store.id),
      request.query.show === 'secret' ? secretsInForce(context, store.id) : undefined,
    ]);
    const { values = formOf(store), wrong, issued } = shown;
    const banks = context.banks.all().map(({ id }) => id);
    const rest = { store, tokens, secrets, values, banks, wrong, issued };
    const state = { ...rest, now: context.now(), notice: notice(request.query.done) };
    return sendPage(request, reply, {
      title: `${store.name}: loja`,
      section: 'stores',
      content: (csrf) => profile(store, 'store', storeTab({ csrf, ...state })),
    });
  };

  app.get('/stores/:id/store', async (request: Request, reply) => show(request, reply));

  app.post('/stores/:id', async (request: Request, reply) => {
    const store = await storeOr404(context, request.params.id);
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

  app.post('/stores/:id/tokens', async (request: Request, reply) => {
    const { id } = await storeOr404(context, request.params.id);
    const issue = () => issueToken(context, id, dateTimeOf(request.body, 'expiresAt'), authorOf(request));
    const { result, wrong } = await attempt(issue);
    if (wrong) return show(request, reply.code(400), { wrong });
    if (!result) throw errors.storeNotFound();
    return show(request, reply, { issued: result });
  });
}
