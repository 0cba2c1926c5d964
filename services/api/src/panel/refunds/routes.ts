import { listRefundsNotMade, type RefundNotMade } from '@payments/database/refunds-not-made';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { readPage } from '../../field-values.ts';
import { textOf } from '../forms/form-values.ts';
import { html, nothing, type SafeHtml } from '../html.ts';
import { badge, refundBadge } from '../page/badge.ts';
import { money } from '../page/money.ts';
import { linkTo, pagination } from '../page/pagination.ts';
import { sendPage } from '../page/send-page.ts';
import { emptyState, table } from '../page/table.ts';
import { time } from '../page/time.ts';
import { refundReason } from '../payments/names.ts';

/** Refunds that have not been made, and which of them wait for a person. */
export async function refundPages(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  app.get<{ Querystring: { page?: unknown } }>('/refunds', async (request, reply) => {
    const page = readPage({ page: textOf(request.query, 'page') || undefined });
    const { items, total } = await listRefundsNotMade(context.db, {}, page);
    const pages = pagination({ ...page, total }, (number) => linkTo('/panel/refunds', { page: number }));
    const content = html`<h1>Devoluções</h1>
      <p class="muted">As que ainda não chegaram a quem pagou. Uma recusada pelo banco pode ser pedida de novo na página do pagamento.</p>
      <div class="card flush">${list(items)}</div>${pages}`;
    return sendPage(request, reply, { title: 'Devoluções', section: 'payments', content: () => content });
  });
}

function list(items: readonly RefundNotMade[]): SafeHtml {
  if (items.length === 0)
    return emptyState('Nenhuma devolução pendente', 'Tudo o que devia voltar já voltou.');
  const columns = [
    { label: 'Valor', numeric: true },
    { label: 'Situação' },
    { label: 'Motivo' },
    { label: 'Pedida em' },
    { label: 'Banco' },
  ];
  const rows = items.map((refund) => [
    html`<a href="/panel/payments/${refund.paymentId}#refunds">${money(refund.amount)}</a>`,
    html`${refundBadge(refund.state)} ${refund.isOwed ? badge('wait', 'Pedir de novo') : nothing}`,
    html`<span class="wrap">${refundReason(refund.reason)}</span>`,
    time(refund.createdAt),
    html`<span class="small wrap">${refund.lastError ?? '–'}</span>`,
  ]);
  return table('Devoluções que não terminaram', columns, rows);
}
