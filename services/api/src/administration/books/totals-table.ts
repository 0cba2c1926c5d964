import type { Totals } from '@payments/database/totals/totals';
import { money } from '../../pages/formats.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import { emptyState, numeric, table } from '../kit/tables.ts';

type Named = { title: string; name: (key: string | null) => SafeHtml };

export function totalsTable(totals: readonly Totals[], { title, name }: Named): SafeHtml {
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
export function totalsFigures(totals: readonly Totals[]): SafeHtml {
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
