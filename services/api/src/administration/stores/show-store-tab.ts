import { countPayments } from '@payments/database/payments/counts';
import { listTokens } from '@payments/database/stores/tokens';
import type { WebhookSecrets } from '@payments/database/stores/webhook-secrets';
import { may } from '@payments/domain/roles';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import type { FieldError } from '../kit/form-values.ts';
import { sendPage } from '../kit/layout.ts';
import { notice } from '../kit/notices.ts';
import type { IssuedToken } from './issue-token.ts';
import { profile } from './profile.ts';
import { formOf } from './store-form.ts';
import { storeTab } from './store-tab.ts';
import type { TestOutcome } from './test-event-section.ts';

export type TabRequest = FastifyRequest<{ Params: { id: string }; Querystring: { done?: unknown } }>;

/** The result of one of the tab's forms. */
export type Shown = {
  values?: Record<string, string>;
  wrong?: FieldError;
  issued?: IssuedToken;
  secrets?: WebhookSecrets | undefined;
  tested?: TestOutcome;
  /** A notice's name. */
  said?: string;
};

/** Sends the store tab. @throws ApiError 404 for an unknown store, and for another than the actor's own */
export async function showStoreTab(
  context: AdministrationContext,
  request: TabRequest,
  reply: FastifyReply,
  { said = '', values, ...shown }: Shown = {},
): Promise<FastifyReply> {
  const { actor } = request;
  const store = await storeOr404(context, actor, request.params.id);
  const [tokens, payments] = await Promise.all([
    may(actor.role, 'manageTokens') ? listTokens(context.db, store.id) : [],
    countPayments(context.db, { storeId: store.id }),
  ]);
  const state = {
    ...shown,
    ...{ actor, store, tokens, isNew: payments === 0, publicUrl: context.publicUrl },
    values: values ?? formOf(store),
    banks: context.banks.all().map(({ id }) => id),
    now: context.now(),
    notice: notice(said || request.query.done),
  };
  return sendPage(request, reply, {
    title: `${store.name}: loja`,
    section: 'stores',
    content: (csrf) => profile(store, { actor, current: 'store' }, storeTab({ csrf, ...state })),
  });
}
