import { readStatement, type Statement } from '@payments/database/totals/statement';
import { dayOf } from '@payments/domain/days';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { dayText, money } from '../../pages/formats.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import { dayFields, exportLink } from '../kit/filters.ts';
import { dayOfField, textOf } from '../kit/form-values.ts';
import { select } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { emptyState, numeric, table } from '../kit/tables.ts';
import { recordExport } from '../record/actions.ts';
import { profile } from '../stores/parts.ts';
import { readStatementQuery } from './statement-query.ts';
import { statementCsv } from './statement-view.ts';

type Request = { Params: { id: string }; Querystring: Record<string, unknown> };
type Filters = { from: string; to: string; by: string };

/** A store's statement (extrato), printable; this month by default. */
export function statementPages(app: FastifyInstance, context: AdministrationContext): void {
  const reading = { config: { may: 'readPayments' as const } };
  app.get<Request>('/stores/:id/statement', reading, async (request, reply) => {
    const { actor } = request;
    const store = await storeOr404(context, actor, request.params.id);
    const filters = readFilters(request.query, dayOf(context.now()));
    const query = { storeId: store.id, ...readStatementQuery(filters) };
    const statement = await context.longReads.read(actor, (db) => readStatement(db, query));
    const path = `/panel/stores/${store.id}/statement`;
    const content = html`${filterForm(path, filters)}
      <section class="card flush"><h2>Extrato de ${dayText(filters.from)} a ${dayText(filters.to)}</h2>${periods(statement)}</section>
      <div class="actions no-print">${exportLink(actor, `${path}.csv`, filters)}<button class="button" type="button" data-print hidden>Imprimir</button></div>`;
    return sendPage(request, reply, {
      title: `${store.name}: extrato`,
      section: 'stores',
      content: () => profile(store, { actor, current: 'statement' }, content),
    });
  });

  const exporting = { config: { may: 'exportRows' as const } };
  app.get<Request>('/stores/:id/statement.csv', exporting, async (request, reply) => {
    const store = await storeOr404(context, request.actor, request.params.id);
    const { actor } = request;
    const query = { storeId: store.id, ...readStatementQuery(request.query) };
    const { items } = await context.longReads.read(actor, (db) => readStatement(db, query));
    const reading = { actor, query: request.query, by: authorOf(request) };
    await recordExport(context, reading, { kind: 'statement', ofStore: store.id });
    return sendCsv(reply, { name: 'extrato', columns: statementCsv }, async (after) => (after ? [] : items));
  });
}

function readFilters(query: Record<string, unknown>, today: string): Filters {
  return {
    from: dayOfField(query, 'from') || `${today.slice(0, 8)}01`,
    to: dayOfField(query, 'to') || today,
    by: textOf(query, 'by') === 'month' ? 'month' : 'day',
  };
}

function periods({ opening, items, closing }: Statement): SafeHtml {
  const ends = html`<dl class="details ends">
    <div><dt>Saldo inicial</dt><dd>${money(opening)}</dd></div>
    <div><dt>Saldo final</dt><dd><strong>${money(closing)}</strong></dd></div></dl>`;
  if (items.length === 0)
    return html`${ends}${emptyState('Sem movimento', 'Nenhum valor entrou ou saiu neste período.')}`;
  const amounts = ['Recebido', 'Taxas', 'Devolvido', 'Saldo'];
  const columns = ['Período', ...amounts.map(numeric)];
  const rows = items.map((item) => [
    html`${dayText(item.period)}`,
    money(item.received),
    money(item.fees),
    money(item.givenBack),
    money(item.closing),
  ]);
  return html`${ends}${table('Extrato', columns, rows)}`;
}

function filterForm(path: string, { by, ...days }: Filters): SafeHtml {
  return html`<form class="filters card no-print" method="get" action="${path}">
    ${dayFields(days)}
    ${select({ name: 'by', label: 'Por', value: by }, [
      { value: 'day', label: 'Dia' },
      { value: 'month', label: 'Mês' },
    ])}
    <button class="button primary">Mostrar</button>
  </form>`;
}
