import type { Overview } from '@payments/database/operations/overview';
import { may, type Operation } from '@payments/domain/roles';
import type { Actor } from '../../authentication/actor.ts';
import type { ApiContext } from '../../context.ts';
import { html, type SafeHtml } from '../../html.ts';
import { figure } from '../page/figure.ts';
import { formatBrl, money } from '../page/money.ts';
import { duration } from '../page/time.ts';

/** The section with what waits for a person. */
export function attention(overview: Overview, context: ApiContext, { role }: Actor): SafeHtml {
  const shown = waiting(overview, context).filter(({ operation }) => may(role, operation));
  return html`<section aria-labelledby="waiting"><h2 id="waiting">Precisa de atenção</h2>
    ${sums(overview, role)}<div class="figures">${shown.map(({ content }) => content)}</div></section>`;
}

/** What waits, in money. */
function sums({ amounts }: Overview, role: Actor['role']): SafeHtml {
  const named = [
    [amounts.reviews, 'em análise'],
    [amounts.owed, 'a devolver'],
    [amounts.byBank, 'em devolução pelo banco (MED)'],
    [may(role, 'reconcile') ? amounts.unmatchedPix : 0, 'sem pagamento'],
  ] as const;
  const some = named.filter(([amount]) => amount > 0);
  if (some.length === 0) return html`<p class="muted">Nenhum valor aguarda decisão.</p>`;
  return html`<ul class="sums">${some.map(([amount, what]) => html`<li><strong>${money(amount)}</strong> ${what}</li>`)}</ul>`;
}

type Shown = { operation: Operation; content: SafeHtml };

function waiting(overview: Overview, context: ApiContext): Shown[] {
  const { payments, deliveries, refunds, unmatchedPix, chargeProblems, endpoints } = overview;
  const owed = refunds.owed > 0 ? `${formatBrl(refunds.owedAmount)} a devolver` : '';
  const failing = endpoints.failing > endpoints.open ? `${endpoints.failing} com falhas` : '';
  const show = (operation: Operation, ...of: Parameters<typeof figure>): Shown => ({
    operation,
    content: figure(...of),
  });
  const review = payments.review ?? 0;
  return [
    show('readPayments', '/panel/reviews', 'Em análise', review, nextReview(overview, context)),
    show(
      'readPayments',
      '/panel/refunds?show=owed',
      'Devoluções devidas',
      refunds.owed,
      owed || underWay(refunds),
    ),
    show('reconcile', '/panel/unmatched-pix', 'Pix sem pagamento', unmatchedPix),
    show('readProblems', '/panel/charge-problems', 'Cobranças com problemas', chargeProblems),
    show(
      'readPayments',
      '/panel/refunds?show=bank',
      'Devoluções do banco (MED)',
      refunds.byBank,
      medNote(refunds),
    ),
    show('readPayments', '/panel/deliveries?state=dead', 'Entregas que falharam', deliveries.dead),
    show(
      'readPayments',
      '/panel/deliveries?state=pending',
      'Entregas pendentes',
      deliveries.pending,
      '',
      'calm',
    ),
    show('readEndpoints', '/panel/deliveries/endpoints', 'Destinos em pausa', endpoints.open, failing),
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
