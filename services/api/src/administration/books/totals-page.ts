import { listStores, type Store } from '@payments/database/stores/stores';
import { readTotals, type Totals } from '@payments/database/totals/totals';
import { addDays, dayOf } from '@payments/domain/days';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { dayText } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { bankSelect, dayFields, givenOf, storeSelect } from '../kit/filters.ts';
import { dayOfField, textOf } from '../kit/form-values.ts';
import { select } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { type Bar, chart } from './chart.ts';
import { readTotalsQuery } from './totals.ts';
import { totalsFigures, totalsTable } from './totals-table.ts';

const path = '/panel/totals';
const longestChart = 400;
const longestName = 14;
type Filters = { from: string; to: string; by: 'day' | 'store'; storeId: string; bank: string };

/** The page of totals by day or store; the last thirty days by default. */
export function totalsPage(app: FastifyInstance, context: AdministrationContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/totals', { config: { may: 'readPayments' } }, async (request, reply) => {
    const { actor } = request;
    const filters = readFilters(actor, request.query, dayOf(context.now()));
    const query = readTotalsQuery(context, actor, givenOf(filters));
    const [totals, stores] = await Promise.all([
      context.longReads.read(actor, (db) => readTotals(db, query)),
      listStores(context.db, actor.storeId),
    ]);
    const nameOf = new Map(stores.map(({ id, name }) => [id, name]));
    const named = filters.by === 'day' ? days : { title: 'Loja', name: storeLink(nameOf) };
    const period = `de ${dayText(filters.from)} a ${dayText(filters.to)}`;
    const content = html`<h1>Totais</h1>${filterForm(actor, filters, { stores, banks: context.banks })}
      <section aria-labelledby="sums"><h2 id="sums">${`Soma ${period}`}</h2>${totalsFigures(totals)}</section>
      ${chartSection(chart(`Valor aprovado ${period}`, barsOf(filters, totals, nameOf)))}
      <div class="card flush">${totalsTable(totals, named)}</div>
      <p class="muted small">Os dias são os de São Paulo. O valor aprovado é o que resta hoje; uma devolução diminui o dia da aprovação e aparece no dia em que foi feita.</p>`;
    return sendPage(request, reply, { title: 'Totais', section: 'totals', content: () => content });
  });
}

function readFilters({ storeId }: Actor, query: Record<string, unknown>, today: string): Filters {
  const to = dayOfField(query, 'to') || today;
  return {
    from: dayOfField(query, 'from') || addDays(today, -29),
    to,
    by: storeId === null && textOf(query, 'by') === 'store' ? 'store' : 'day',
    storeId: textOf(query, 'storeId'),
    bank: textOf(query, 'bank'),
  };
}

const days = { title: 'Dia', name: (key: string | null) => html`${dayText(key ?? '')}` };

const storeLink = (nameOf: ReadonlyMap<string, string>) => (key: string | null) =>
  key === null
    ? html`<a href="/panel/unmatched-pix">Pix sem pagamento</a>`
    : html`<a href="/panel/stores/${key}/statement">${nameOf.get(key) ?? key}</a>`;

function barsOf(
  { from, to, by }: Filters,
  totals: readonly Totals[],
  nameOf: ReadonlyMap<string, string>,
): Bar[] {
  if (by === 'store')
    return totals.map(({ key, approvedAmount }) => {
      const label = nameOf.get(key ?? '') ?? 'Pix sem pagamento';
      return { label, short: shortened(label), amount: approvedAmount };
    });
  const amounts = new Map(totals.map(({ key, approvedAmount }) => [key, approvedAmount]));
  const bars: Bar[] = [];
  for (let day = from.slice(0, 10); day <= to && bars.length < longestChart; day = addDays(day, 1))
    bars.push({ label: dayText(day), short: dayText(day).slice(0, 5), amount: amounts.get(day) ?? 0 });
  return bars;
}

function shortened(name: string): string {
  const letters = [...name];
  return letters.length <= longestName
    ? name
    : `${letters
        .slice(0, longestName - 1)
        .join('')
        .trimEnd()}…`;
}

function chartSection(drawn: SafeHtml): SafeHtml {
  return drawn === nothing ? nothing : html`<section class="card"><h2>Valor aprovado</h2>${drawn}</section>`;
}

type Choices = { stores: readonly Store[]; banks: AdministrationContext['banks'] };

function filterForm(actor: Actor, filters: Filters, { stores, banks }: Choices): SafeHtml {
  const groups = [
    { value: 'day', label: 'Dia' },
    { value: 'store', label: 'Loja' },
  ];
  return html`<form class="filters card" method="get" action="${path}">
    ${dayFields(filters)}
    ${actor.storeId === null ? select({ name: 'by', label: 'Por', value: filters.by }, groups) : nothing}
    ${storeSelect(filters.storeId, stores, actor)}
    ${bankSelect(filters.bank, banks, actor)}
    <button class="button primary">Somar</button>
  </form>`;
}
