import { readStatement, type Statement } from '@payments/database/totals/statement';
import { dayOf } from '@payments/domain/days';
import { authorOf, storeOr404 } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { sendCsv } from '../../http/csv.ts';
import { dayText, html, money, type SafeHtml } from '../../pages/html.ts';
import { dayFields, exportLink } from '../kit/filters.ts';
import { dayOfField, textOf } from '../kit/form-values.ts';
import { select } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { emptyState, numeric, table } from '../kit/tables.ts';
import { recordExport } from '../record/actions.ts';
import { storeParams } from '../shapes.ts';
import { profile } from '../stores/parts.ts';
import { readStatementQuery, statementCsv } from './actions.ts';

type Filters = { from: string; to: string; by: string };

/** A store's statement (extrato), printable; this month by default. */
export const statementPage: AdministrationPlugin = async (app, { context }) => {
  const schema = { params: storeParams };
  const reading = { schema, config: { may: 'readPayments' as const } };
  app.get('/stores/:id/statement', reading, async (request, reply) => {
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

  const exporting = { schema, config: { may: 'exportRows' as const } };
  app.get('/stores/:id/statement.csv', exporting, async (request, reply) => {
    const store = await storeOr404(context, request.actor, request.params.id);
    const { actor } = request;
    const given = request.query as Record<string, unknown>;
    const query = { storeId: store.id, ...readStatementQuery(given) };
    const { items } = await context.longReads.read(actor, (db) => readStatement(db, query));
    const reading = { actor, query: given, by: authorOf(request) };
    await recordExport(context, reading, { kind: 'statement', ofStore: store.id });
    return sendCsv(
      reply,
      { name: store.test ? 'extrato-TESTE' : 'extrato', columns: statementCsv },
      async (after) => (after ? [] : items),
    );
  });
};

function readFilters(query: unknown, today: string): Filters {
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
