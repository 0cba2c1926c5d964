import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Page, Paged } from '@payments/database/filters';
import { listReviews, type WaitingReview } from '@payments/database/payments/reviews';
import { listStores } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { ownFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { duration, money, time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { textOf } from '../kit/form-values.ts';
import { sendPage } from '../kit/layout.ts';
import { live, liveRegion, sendRegions } from '../kit/live.ts';
import { notice } from '../kit/notices.ts';
import { refundBadge } from '../kit/parts.ts';
import { emptyState, linkTo, pageIn, pagination } from '../kit/tables.ts';
import { reviewReason } from '../payments/names.ts';
import { decisionForms } from '../payments/parts.ts';

const path = '/panel/reviews';
type Waiting = Page &
  Paged<WaitingReview> & { names: Map<string, string>; actor: Actor; kind: { test?: string } };

/** The page of payments in review, with the time left (Contract: review). */
export const reviewPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  const read = async (request: FastifyRequest): Promise<Waiting> => {
    const page = pageIn(request.query);
    const { actor } = request;
    const own = ownFilter(actor, request.query);
    const [found, stores] = await Promise.all([
      listReviews(context.db, own, page),
      listStores(context.db, own),
    ]);
    const kind = kindIn(own.test);
    return { ...found, ...page, actor, kind, names: new Map(stores.map(({ id, name }) => [id, name])) };
  };
  const region = (csrf: string, waiting: Waiting) =>
    liveRegion(
      { id: 'reviews', content: list(csrf, waiting, context), announce: `${waiting.total} em análise` },
      csrf,
    );

  app.get('/reviews', { config: { may: 'readPayments', takesKind: true } }, async (request, reply) => {
    const waiting = await read(request);
    return sendPage(request, reply, {
      title: 'Análises',
      section: 'reviews',
      content: (csrf) => html`<h1>Análises</h1>${notice(textOf(request.query, 'done'))}
        ${live(linkTo(`${path}/live`, { page: waiting.page, ...waiting.kind }), region(csrf, waiting))}`,
    });
  });

  const updating = { config: { may: 'readPayments' as const, unlogged: true } };
  app.get('/reviews/live', updating, async (request, reply) => {
    const waiting = await read(request);
    return sendRegions(request, reply, (csrf) => [region(csrf, waiting)]);
  });
};

function list(
  csrf: string,
  { items, names, actor, kind, ...pages }: Waiting,
  context: AdministrationContext,
): SafeHtml {
  if (items.length === 0) {
    return emptyState('Nada em análise', 'Pagamentos em análise aparecem aqui, com o prazo.');
  }
  return html`<ul class="reviews">${items.map((review) => item({ csrf, names, actor }, review, context))}</ul>
    ${pagination(pages, path, kind)}`;
}

type View = Pick<Waiting, 'names' | 'actor'> & { csrf: string };

function item({ csrf, names, actor }: View, review: WaitingReview, context: AdministrationContext): SafeHtml {
  const { paid, returned, reason, refundState } = review;
  const approvable = Math.max(0, paid - returned);
  const { reviewTimeoutSeconds, now } = context;
  const deadline = new Date(review.reviewSince.getTime() + reviewTimeoutSeconds * 1_000);
  const left = deadline.getTime() - now().getTime();
  const state = refundState
    ? html`Devolução: ${refundBadge(refundState)}`
    : html`<strong class="${left < 5 * 60_000 ? 'urgent' : ''}">${left > 0 ? `Restam ${duration(left)}` : 'Prazo esgotado'}</strong>
      <span class="muted small">até ${time(deadline)}</span>`;
  return html`<li class="card review">
    <div class="review-main">
      <p class="review-amount"><a href="/panel/payments/${review.id}">Pix de ${money(paid)}</a></p>
      <p class="muted small">Cobrança de ${money(review.charged)}${actor.storeId === null ? html` · <span class="wrap">${names.get(review.storeId) ?? review.storeId}</span>` : nothing}</p>
      ${review.observation ? html`<p class="small wrap">Pedido: ${review.observation}</p>` : nothing}
      ${review.email ? html`<p class="small wrap">Cliente: ${review.email}</p>` : nothing}
      <p>${reviewReason(reason)}</p>
      ${returned > 0 ? html`<p>Já foram devolvidos ${money(returned)}.</p>` : nothing}
      <p>${state}</p>
    </div>
    ${may(actor.role, 'changeStatus') ? html`<div class="actions">${decisionForms(csrf, review, { approvable, back: 'reviews' })}</div>` : nothing}</li>`;
}
