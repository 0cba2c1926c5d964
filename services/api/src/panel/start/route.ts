import { countedAtMost } from '@payments/database/operations/backlog';
import { type Overview, readOverview } from '@payments/database/operations/overview';
import { listPayments } from '@payments/database/payments/list';
import { listStores } from '@payments/database/stores/stores';
import { paymentStatuses } from '@payments/domain/status';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../html.ts';
import { firstOwnerOffer } from '../accounts/first-owner.ts';
import { statusBadge } from '../page/badge.ts';
import { formatBrl, money } from '../page/money.ts';
import { sendPage } from '../page/send-page.ts';
import { duration } from '../page/time.ts';
import { paymentTable } from '../payments/payment-table.ts';

const latest = { page: 1, limit: 10 };

/** The start page: what waits for a person, payments by status, and the latest payments. */
export async function startPage(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const { db } = context;
  app.get('/', async (request, reply) => {
    const [overview, { items }, stores] = await Promise.all([
      readOverview(db, context.now()),
      listPayments(db, {}, latest),
      listStores(db),
    ]);
    const names = new Map(stores.map(({ id, name }) => [id, name]));
    const content = html`<h1>Início</h1>${await firstOwnerOffer(context, request)}
      <section aria-labelledby="waiting"><h2 id="waiting">Precisa de atenção</h2>
        ${sums(overview)}<div class="figures">${waiting(overview, context)}</div></section>
      <section aria-labelledby="payments"><h2 id="payments">Pagamentos</h2>
        <div class="figures compact">${byStatus(overview)}</div></section>
      <section class="card flush"><h2>Últimos pagamentos</h2>${paymentTable(items, names)}</section>
      <p><a href="/panel/changes">Alterações feitas pela administração</a></p>`;
    return sendPage(request, reply, { title: 'Início', section: 'start', content: () => content });
  });
}

/** What waits, in money. */
function sums({ amounts }: Overview): SafeHtml {
  const named = [
    [amounts.reviews, 'em análise'],
    [amounts.owed, 'a devolver'],
    [amounts.byBank, 'em devolução pelo banco (MED)'],
    [amounts.unmatchedPix, 'sem pagamento'],
  ] as const;
  const some = named.filter(([amount]) => amount > 0);
  if (some.length === 0) return html`<p class="muted">Nenhum valor espera por uma decisão.</p>`;
  return html`<ul class="sums">${some.map(([amount, what]) => html`<li><strong>${money(amount)}</strong> ${what}</li>`)}</ul>`;
}

function waiting(overview: Overview, context: ApiContext): SafeHtml[] {
  const { payments, deliveries, refunds, unmatchedPix, chargeProblems, endpoints } = overview;
  const owed = refunds.owed > 0 ? `${formatBrl(refunds.owedAmount)} a devolver` : '';
  const failing = endpoints.failing > endpoints.open ? `${endpoints.failing} com falhas` : '';
  return [
    figure('/panel/reviews', 'Em análise', payments.review ?? 0, nextReview(overview, context)),
    figure('/panel/refunds?show=owed', 'Devoluções devidas', refunds.owed, owed || underWay(refunds)),
    figure('/panel/unmatched-pix', 'Pix sem pagamento', unmatchedPix, ''),
    figure('/panel/charge-problems', 'Cobranças com problemas', chargeProblems, ''),
    figure('/panel/refunds?show=bank', 'Devoluções do banco (MED)', refunds.byBank, medNote(refunds)),
    figure('/panel/deliveries?state=dead', 'Entregas que falharam', deliveries.dead, ''),
    figure('/panel/deliveries?state=pending', 'Entregas pendentes', deliveries.pending, '', 'calm'),
    figure('/panel/deliveries/endpoints', 'Destinos em pausa', endpoints.open, failing),
  ];
}

function nextReview({ oldestReviewSince }: Overview, { now, reviewTimeoutSeconds }: ApiContext): string {
  if (!oldestReviewSince) return '';
  const left = oldestReviewSince.getTime() + reviewTimeoutSeconds * 1_000 - now().getTime();
  return `o próximo vence ${left > 0 ? `em ${duration(left)}` : 'agora'}`;
}

const medNote = ({ byBank }: Overview['refunds']) => (byBank > 0 ? 'em andamento' : '');

function underWay({ unfinished, toOrderAgain }: Overview['refunds']): string {
  const waiting = unfinished + toOrderAgain;
  return waiting > 0 ? `${waiting.toLocaleString('pt-BR')} em andamento` : '';
}

function figure(href: string, label: string, total: number, note: string, tone = 'alert'): SafeHtml {
  const more = total >= countedAtMost ? '+' : '';
  return html`<a class="figure ${total > 0 ? tone : ''}" href="${href}"><span>${label}</span>
    <strong>${total.toLocaleString('pt-BR')}${more}</strong>${note ? html`<small>${note}</small>` : nothing}</a>`;
}

function byStatus({ payments }: Overview): SafeHtml[] {
  return paymentStatuses.map(
    (status) => html`<a class="figure" href="/panel/payments?status=${status}">${statusBadge(status)}
      <strong>${(payments[status] ?? 0).toLocaleString('pt-BR')}</strong></a>`,
  );
}
