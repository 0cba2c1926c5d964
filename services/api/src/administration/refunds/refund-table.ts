import type { RefundOfStore } from '@payments/database/refunds/list';
import { html, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { orderOf } from '../kit/order.ts';
import { emptyState, numeric, table } from '../kit/table.ts';
import { refundReason, refusalName } from '../payments/names.ts';
import { outlook, refundStatus } from './outlook.ts';

const columns = [numeric('Valor'), 'Pedido e cliente', 'Status', 'Motivo', 'Pedida em', 'Resposta do banco'];

const empty = {
  filtered: ['Nada encontrado', 'Nenhuma devolução pendente corresponde a estes filtros.'],
  open: ['Nenhuma devolução pendente', 'Todas as devoluções foram concluídas.'],
  made: ['Nenhuma devolução feita', 'As devoluções feitas aparecem aqui.'],
} as const;

/** @param list what is listed: the open refunds, those of a filter, or those that were made */
export function refundTable(refunds: readonly RefundOfStore[], list: keyof typeof empty): SafeHtml {
  if (refunds.length === 0) return emptyState(empty[list][0], empty[list][1]);
  const rows = refunds.map((refund) => [
    html`<a href="${placeOf(refund)}">${money(refund.amount)}</a>`,
    orderOf(refund),
    html`${refundStatus(refund)}${outlook(refund)}`,
    html`<span class="words">${refundReason(refund)}</span>`,
    time(refund.createdAt),
    html`<span class="small words">${refund.lastError === null ? '–' : refusalName(refund.lastError)}</span>`,
  ]);
  // The bank has refused none of those that were made.
  const shown = refunds.some(({ lastError }) => lastError !== null) ? columns : columns.slice(0, -1);
  return table('Devoluções', shown, rows);
}

/** The page where a person can order the refund anew. */
function placeOf({ paymentId }: RefundOfStore): string {
  return paymentId === null ? '/panel/unmatched-pix' : `/panel/payments/${paymentId}#refunds`;
}
