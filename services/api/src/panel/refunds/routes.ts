import { readRefundsAfter } from '@payments/database/refunds/export';
import { countRefundsOwed, listRefundsNotMade, nextRefundOrder } from '@payments/database/refunds/not-made';
import type { FastifyInstance } from 'fastify';
import { readRefundSearch } from '../../admin/refunds/export.route.ts';
import { refundCsv } from '../../admin/refunds/refund-csv.ts';
import type { ApiContext } from '../../context.ts';
import { sendCsv } from '../../csv/send-csv.ts';
import { readPage } from '../../field-values.ts';
import { html, nothing, type SafeHtml } from '../../html.ts';
import { textOf } from '../forms/form-values.ts';
import { alert } from '../page/alert.ts';
import { exportLink } from '../page/export-link.ts';
import { money } from '../page/money.ts';
import { linkTo, pagination } from '../page/pagination.ts';
import { sendPage } from '../page/send-page.ts';
import { tabs } from '../page/tabs.ts';
import { time } from '../page/time.ts';
import { refundTable } from './refund-table.ts';

const path = '/panel/refunds';
const shown = [
  { name: '', label: 'Todas', filter: {} },
  { name: 'owed', label: 'Só as devidas', filter: { isOwed: true } },
  { name: 'bank', label: 'Iniciadas pelo banco (MED)', filter: { isOfBank: true } },
] as const;

/** The page of unfinished and failed refunds, those that wait for a person first. */
export async function refundPages(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const { db } = context;
  app.get<{ Querystring: { page?: unknown; show?: unknown } }>('/refunds', async (request, reply) => {
    const page = readPage({ page: textOf(request.query, 'page') || undefined });
    const view = shown.find(({ name }) => name === textOf(request.query, 'show')) ?? shown[0];
    const [{ items, total }, owed, next] = await Promise.all([
      listRefundsNotMade(db, { isOpen: true, owedFirst: true, ...view.filter }, page),
      countRefundsOwed(db),
      nextRefundOrder(db),
    ]);
    const links = shown.map(({ name, label }) => ({ href: linkTo(path, { show: name }), label, name }));
    const pages = pagination({ ...page, total }, (number) => linkTo(path, { show: view.name, page: number }));
    const content = html`<div class="title"><h1>Devoluções</h1>${exportLink(`${path}.csv`, {})}</div>
      <p class="muted">Devoluções que ainda não chegaram a quem pagou. Se o banco recusou uma devolução, peça de novo na página do pagamento.</p>
      ${owed.refunds > 0 ? owedAlert(owed) : nothing}
      ${next ? html`<p>Próxima tentativa automática: ${time(next)}.</p>` : nothing}
      ${tabs('Devoluções', links, view.name)}
      <div class="card flush">${refundTable(items)}</div>${pages}`;
    return sendPage(request, reply, { title: 'Devoluções', section: 'payments', content: () => content });
  });

  app.get<{ Querystring: Record<string, unknown> }>('/refunds.csv', async (request, reply) => {
    const search = readRefundSearch(context, request.query);
    const file = { name: 'devolucoes', columns: refundCsv };
    return sendCsv(reply, file, (after) => readRefundsAfter(db, search, { after, limit: 1_000 }));
  });
}

function owedAlert({ refunds, amount }: { refunds: number; amount: number }): SafeHtml {
  const count =
    refunds === 1
      ? 'Uma devolução precisa ser pedida'
      : `${refunds.toLocaleString('pt-BR')} devoluções precisam ser pedidas`;
  return alert('warning', html`<strong>Total devido: ${money(amount)}.</strong> ${count} de novo.`);
}
