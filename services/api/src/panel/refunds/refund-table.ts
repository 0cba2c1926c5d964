import type { RefundOfStore } from '@payments/database/refunds/not-made';
import { html, type SafeHtml } from '../../html.ts';
import { money } from '../page/money.ts';
import { orderOf } from '../page/order.ts';
import { emptyState, table } from '../page/table.ts';
import { time } from '../page/time.ts';
import { refundReason, refusalName } from '../payments/names.ts';
import { outlook, refundStatus } from './outlook.ts';

const columns = [
  { label: 'Valor', numeric: true },
  { label: 'Pedido e cliente' },
  { label: 'Status' },
  { label: 'Motivo' },
  { label: 'Pedida em' },
  { label: 'Banco' },
];

export function refundTable(refunds: readonly RefundOfStore[], isFiltered: boolean): SafeHtml {
  if (refunds.length === 0 && isFiltered)
    return emptyState('Nada encontrado', 'Nenhuma devolução pendente corresponde a estes filtros.');
  if (refunds.length === 0)
    return emptyState('Nenhuma devolução pendente', 'Todas as devoluções foram concluídas.');
  const rows = refunds.map((refund) => [
    html`<a href="${placeOf(refund)}">${money(refund.amount)}</a>`,
    orderOf(refund),
    html`${refundStatus(refund)}${outlook(refund)}`,
    html`<span class="words">${refundReason(refund)}</span>`,
    time(refund.createdAt),
    html`<span class="small words">${refund.lastError === null ? '–' : refusalName(refund.lastError)}</span>`,
  ]);
  return table('Devoluções que não terminaram', columns, rows);
}

/** The page where a person can order the refund anew. */
function placeOf({ paymentId }: RefundOfStore): string {
  return paymentId === null ? '/panel/unmatched-pix' : `/panel/payments/${paymentId}#refunds`;
}
