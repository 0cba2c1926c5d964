import { listStores } from '@payments/database/stores/stores';
import { readStatement, type Statement } from '@payments/database/totals/statement';
import { readTotals, type Totals } from '@payments/database/totals/totals';
import { addDays, dayOf, isDay } from '@payments/domain/days';
import { type Actor, authorOf, ownFilter, storeOr404 } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { csvFormOf, sendCsv } from '../../http/csv.ts';
import { dayText, formatBrl, html, money, nothing, type SafeHtml } from '../../pages/html.ts';
import { everConfigured } from '../banks/actions.ts';
import { type Choices, commonFields, dayFields, exportLink, givenOf } from '../kit/filters.ts';
import { dayOfField, textOf } from '../kit/form-values.ts';
import { select } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { emptyState, linkTo, numeric, table } from '../kit/tables.ts';
import { recordExport } from '../record/actions.ts';
import { storeParams } from '../shapes.ts';
import { profile } from '../stores/parts.ts';
import { readStatementQuery, readTotalsQuery, statementCsv } from './actions.ts';

const totalsPath = '/panel/totals';
const longestChart = 400;
const longestName = 14;
type Filters = { from: string; to: string; by: 'day' | 'store'; storeId: string; bank: string; test: string };

/** The page of totals by day or store; the last thirty days by default. */
export const totalsPage: AdministrationPlugin = async (app, { context }) => {
  app.get('/totals', { config: { may: 'readPayments', takesKind: true } }, async (request, reply) => {
    const { actor } = request;
    const filters = readFilters(actor, request.query, dayOf(context.now()));
    const query = await readTotalsQuery(context, actor, givenOf(filters));
    const [totals, stores, banks] = await Promise.all([
      context.longReads.read(actor, (db) => readTotals(db, query)),
      listStores(context.db, ownFilter(actor, givenOf({ test: filters.test }))),
      everConfigured(context.db),
    ]);
    const nameOf = new Map(stores.map(({ id, name }) => [id, name]));
    const named = filters.by === 'day' ? days : { title: 'Loja', name: storeLink(nameOf, filters.test) };
    const period = `de ${dayText(filters.from)} a ${dayText(filters.to)}`;
    const content = html`<h1>Totais</h1>${filterForm(actor, filters, { stores, banks })}
      <section aria-labelledby="sums"><h2 id="sums">${`Soma ${period}`}</h2>${totalsFigures(totals)}</section>
      ${isTooLong(filters) ? html`<p class="muted">${tooLong}</p>` : chartSection(chart(`Valor aprovado ${period}`, barsOf(filters, totals, nameOf)))}
      <div class="card flush">${totalsTable(totals, named)}</div>
      <p class="muted small">Os dias são os de São Paulo. O valor aprovado é o que resta hoje; uma devolução diminui o dia da aprovação e aparece no dia em que foi feita.</p>`;
    return sendPage(request, reply, { title: 'Totais', section: 'totals', content: () => content });
  });
};

function readFilters({ storeId }: Actor, query: unknown, today: string): Filters {
  const to = dayOfField(query, 'to') || today;
  return {
    from: dayOfField(query, 'from') || addDays(lastOf(to, today), -29),
    to,
    by: storeId === null && textOf(query, 'by') === 'store' ? 'store' : 'day',
    storeId: textOf(query, 'storeId'),
    bank: textOf(query, 'bank'),
    test: textOf(query, 'test'),
  };
}

/** @returns the day from which a missing `from` counts back: the end of a period that is over, or else today */
const lastOf = (to: string, today: string) => (isDay(to) && to < today ? to : today);

const days = { title: 'Dia', name: (key: string | null) => html`${dayText(key ?? '')}` };

const storeLink = (nameOf: ReadonlyMap<string, string>, test: string) => (key: string | null) =>
  key === null
    ? html`<a href="${linkTo('/panel/unmatched-pix', { test })}">Pix sem pagamento</a>`
    : html`<a class="words" href="/panel/stores/${key}/statement">${nameOf.get(key) ?? key}</a>`;

const tooLong = `O gráfico mostra até ${longestChart} dias. A soma e a tabela têm o período inteiro.`;

const isTooLong = ({ from, to, by }: Filters) =>
  by === 'day' && addDays(from.slice(0, 10), longestChart - 1) < to.slice(0, 10);

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

function filterForm(actor: Actor, filters: Filters, choices: Choices): SafeHtml {
  const { kind, store, bank, days } = commonFields(actor, filters, choices);
  const groups = [
    { value: 'day', label: 'Dia' },
    { value: 'store', label: 'Loja' },
  ];
  return html`<form class="filters card" method="get" action="${totalsPath}">
    ${kind}${days}
    ${actor.storeId === null ? select({ name: 'by', label: 'Por', value: filters.by }, groups) : nothing}
    ${store}
    ${bank}
    <button class="button primary">Somar</button>
  </form>`;
}

type Named = { title: string; name: (key: string | null) => SafeHtml };

function totalsTable(totals: readonly Totals[], { title, name }: Named): SafeHtml {
  if (totals.length === 0) return emptyState('Nada neste período', 'Escolha outro período ou outra loja.');
  const columns = [
    title,
    ...['Criados', 'Aprovados', 'Valor aprovado', 'Taxas', 'Líquido', 'Devolvido'].map(numeric),
  ];
  const rows = totals.map((one) => [
    name(one.key),
    html`${one.createdCount.toLocaleString('pt-BR')}`,
    html`${one.approvedCount.toLocaleString('pt-BR')}`,
    money(one.approvedAmount),
    money(one.feeAmount),
    money(one.approvedAmount - one.feeAmount),
    money(one.refundedAmount),
  ]);
  return table('Totais', columns, rows);
}

/** The sums of all groups. */
function totalsFigures(totals: readonly Totals[]): SafeHtml {
  const sum = (of: (one: Totals) => number) => totals.reduce((all, one) => all + of(one), 0);
  const figures = [
    ['Valor aprovado', sum((one) => one.approvedAmount)],
    ['Taxas', sum((one) => one.feeAmount)],
    ['Líquido', sum((one) => one.approvedAmount - one.feeAmount)],
    ['Devolvido', sum((one) => one.refundedAmount)],
  ] as const;
  const items = figures.map(
    ([label, amount]) =>
      html`<div class="figure"><span>${label}</span><strong>${money(amount)}</strong></div>`,
  );
  return html`<div class="figures compact">${items}</div>`;
}

/** A bar of the chart; amount in centavos. `short` is its name below the axis. */
type Bar = { label: string; short: string; amount: number };

const height = 120;
const baseline = 20;
const mostNames = 6;

/**
 * Bars of amounts over an axis of money and one of names, each bar with its text on hover. The table beside it has the
 * same figures for everybody.
 * @returns nothing where no bar has an amount
 */
export function chart(label: string, bars: readonly Bar[]): SafeHtml {
  const most = Math.max(0, ...bars.map(({ amount }) => amount));
  if (most === 0) return nothing;
  const top = axisTop(most);
  const at = (index: number) => `${((index / bars.length) * 100).toFixed(3)}%`;
  const drawn = bars.map(({ label: name, amount }, index) => {
    const tall = Math.round((Math.max(0, amount) / top) * height * 10) / 10;
    return html`<rect x="${at(index + 0.1)}" y="${height - tall}" width="${at(0.8)}" height="${tall}"><title>${name}: ${formatBrl(amount)}</title></rect>`;
  });
  const lines = [0, height / 2, height].map((y) => html`<line x1="0" x2="100%" y1="${y}" y2="${y}"></line>`);
  const step = Math.ceil(bars.length / mostNames);
  const names = bars.map(({ short }, index) =>
    index % step === 0
      ? html`<text${isNarrow(short) ? nothing : html` class="name"`} x="${at(index + 0.5)}" y="${height + baseline}">${short}</text>`
      : nothing,
  );
  return html`<div class="chart-frame">
    <div class="chart-axis" aria-hidden="true">${[top, top / 2, 0].map((amount) => html`<span>${axisText(amount)}</span>`)}</div>
    <svg class="chart" role="img" aria-label="${label}">${lines}${drawn}${names}</svg>
  </div>`;
}

/** @returns the end of an axis in centavos: the least round number of reais that no bar surpasses */
export function axisTop(most: number): number {
  const power = 10 ** Math.max(2, Math.floor(Math.log10(Math.max(1, most))));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((first) => first * power).find((top) => top >= most)!;
}

/** Phones have room for days, not for names. */
const isNarrow = (short: string) => short.length <= 5;

function axisText(centavos: number): string {
  return centavos % 100 === 0 ? `R$ ${(centavos / 100).toLocaleString('pt-BR')}` : formatBrl(centavos);
}

type StatementFilters = { from: string; to: string; by: string };

/** A store's statement (extrato), printable; this month by default. */
export const statementPage: AdministrationPlugin = async (app, { context }) => {
  const schema = { params: storeParams };
  const reading = { schema, config: { may: 'readPayments' as const } };
  app.get('/stores/:id/statement', reading, async (request, reply) => {
    const { actor } = request;
    const store = await storeOr404(context, actor, request.params.id);
    const filters = readStatementFilters(request.query, dayOf(context.now()));
    const query = { storeId: store.id, ...readStatementQuery(filters) };
    const statement = await context.longReads.read(actor, (db) => readStatement(db, query));
    const path = `/panel/stores/${store.id}/statement`;
    const content = html`${statementForm(path, filters)}
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
    const { actor } = request;
    const given = request.query as Record<string, unknown>;
    const [days, form] = [readStatementQuery(given), csvFormOf(given)];
    const store = await storeOr404(context, actor, request.params.id);
    const query = { storeId: store.id, ...days };
    const { items } = await context.longReads.read(actor, (db) => readStatement(db, query));
    const reading = { actor, query: given, by: authorOf(request) };
    if (request.method !== 'HEAD')
      await recordExport(context, reading, { kind: 'statement', ofStore: store.id });
    return sendCsv(
      reply,
      { name: store.test ? 'extrato-TESTE' : 'extrato', columns: statementCsv, form },
      async (after) => (after ? [] : items),
    );
  });
};

function readStatementFilters(query: unknown, today: string): StatementFilters {
  const to = dayOfField(query, 'to') || today;
  return {
    from: dayOfField(query, 'from') || `${lastOf(to, today).slice(0, 8)}01`,
    to,
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

function statementForm(path: string, { by, ...days }: StatementFilters): SafeHtml {
  return html`<form class="filters card no-print" method="get" action="${path}">
    ${dayFields(days)}
    ${select({ name: 'by', label: 'Por', value: by }, [
      { value: 'day', label: 'Dia' },
      { value: 'month', label: 'Mês' },
    ])}
    <button class="button primary">Mostrar</button>
  </form>`;
}
