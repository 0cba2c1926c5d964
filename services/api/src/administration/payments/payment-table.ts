import type { StoredPayment } from '@payments/database/payments/payments';
import { html, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { statusBadge } from '../kit/badge.ts';
import { orderOf } from '../kit/order.ts';
import { emptyState, numeric, table } from '../kit/table.ts';

const columns = ['Pagamento', 'Status', numeric('Valor'), 'Pedido e cliente', 'Criado em'];

/** A table of payments; with `storeNames`, also their stores. */
export function paymentTable(
  payments: readonly StoredPayment[],
  storeNames?: ReadonlyMap<string, string>,
): SafeHtml {
  if (payments.length === 0) return emptyState('Nenhum pagamento', 'Os pagamentos aparecem aqui.');
  const rows = payments.map((payment) => {
    const cells = [
      html`<a class="mono nowrap" href="/panel/payments/${payment.id}">${shortId(payment.id)}</a>`,
      statusBadge(payment.status),
      money(payment.amount),
      orderOf(payment),
      time(payment.createdAt),
    ];
    const store = html`<a href="/panel/stores/${payment.storeId}">${storeNames?.get(payment.storeId) ?? payment.storeId}</a>`;
    return storeNames ? [...cells.slice(0, 1), store, ...cells.slice(1)] : cells;
  });
  const heads = storeNames ? [...columns.slice(0, 1), 'Loja', ...columns.slice(1)] : columns;
  return table('Pagamentos', heads, rows);
}

/** @returns the end of an id, where UUIDv7s of the same time differ */
function shortId(id: string): string {
  return `…${id.slice(-12)}`;
}
