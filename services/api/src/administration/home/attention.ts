import type { Backlog, Overview } from '@payments/database/backlog';
import { may, type Operation } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { duration, formatBrl, money } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import type { ShownBank } from '../banks/actions.ts';
import { alert } from '../kit/notices.ts';
import { figure } from '../kit/parts.ts';

/** The amounts and numbers that wait for a person. */
export function attention(overview: Overview, context: AdministrationContext, { role }: Actor): SafeHtml {
  const shown = waiting(overview, context).filter(({ operation }) => may(role, operation));
  return html`${sums(overview, role)}<div class="figures">${shown.map(({ content }) => content)}</div>`;
}

/** The amounts that wait. */
function sums({ backlog }: Overview, role: Actor['role']): SafeHtml {
  const named = [
    [backlog.reviewsWaitingAmount, 'em análise'],
    [backlog.refundsOwedAmount, 'a devolver'],
    [backlog.bankReturnsUnderWayAmount, 'em devolução pelo banco (MED)'],
    [may(role, 'reconcile') ? backlog.pixUnmatchedAmount : 0, 'sem pagamento'],
  ] as const;
  const some = named.filter(([amount]) => amount > 0);
  if (some.length === 0) return html`<p class="muted">Nenhum valor aguarda decisão.</p>`;
  return html`<ul class="sums">${some.map(([amount, what]) => html`<li><strong>${money(amount)}</strong> ${what}</li>`)}</ul>`;
}

type Shown = { operation: Operation; content: SafeHtml };

function waiting({ payments, backlog }: Overview, context: AdministrationContext): Shown[] {
  const { refundsOwed, bankReturnsUnderWay, endpointsFailing, endpointsOpen } = backlog;
  const owed = refundsOwed > 0 ? `${formatBrl(backlog.refundsOwedAmount)} a devolver` : underWay(backlog);
  const failing = endpointsFailing > endpointsOpen ? `${endpointsFailing} com falhas` : '';
  const med = bankReturnsUnderWay > 0 ? 'em andamento' : '';
  const problems = backlog.chargesRefused + backlog.chargesSetAside + backlog.chargesStuck;
  const show = (operation: Operation, ...of: Parameters<typeof figure>): Shown => ({
    operation,
    content: figure(...of),
  });
  const review = payments.review ?? 0;
  return [
    show('readPayments', '/panel/reviews', 'Em análise', review, nextReview(backlog, context)),
    show('readPayments', '/panel/refunds?show=owed', 'Devoluções devidas', refundsOwed, owed),
    show('reconcile', '/panel/unmatched-pix', 'Pix sem pagamento', backlog.pixUnmatched),
    show('readProblems', '/panel/charge-problems', 'Cobranças com problemas', problems),
    show('readPayments', '/panel/refunds?show=bank', 'Devoluções do banco (MED)', bankReturnsUnderWay, med),
    show('readPayments', '/panel/deliveries?state=dead', 'Entregas que falharam', backlog.deliveriesDead),
    show(
      'readPayments',
      '/panel/deliveries?state=pending',
      'Entregas pendentes',
      backlog.deliveriesPending,
      '',
      'calm',
    ),
    show('readEndpoints', '/panel/deliveries/endpoints', 'Destinos em pausa', endpointsOpen, failing),
  ];
}

function nextReview(
  { reviewsWaitingSince: since }: Backlog,
  { now, reviewTimeoutSeconds }: AdministrationContext,
): string {
  if (!since) return '';
  const left = since.getTime() + reviewTimeoutSeconds * 1_000 - now().getTime();
  return `o próximo vence ${left > 0 ? `em ${duration(left)}` : 'agora'}`;
}

function underWay({ refundsUnfinished, refundsToOrderAgain }: Backlog): string {
  const waiting = refundsUnfinished + refundsToOrderAgain;
  return waiting > 0 ? `${waiting.toLocaleString('pt-BR')} em andamento` : '';
}

const words = { failing: 'com falhas', paused: 'em pausa' } as const;

/** Names the banks that get no new charges now; nothing if all are well. */
export function bankAlert(banks: readonly ShownBank[]): SafeHtml {
  const away = banks.flatMap(({ id, state }) => (state === 'healthy' ? [] : [`${id} ${words[state]}`]));
  if (away.length === 0) return nothing;
  return alert(
    'warning',
    html`<strong>Bancos: ${away.join(', ')}.</strong> <a href="/panel/banks">Ver bancos</a>`,
  );
}
