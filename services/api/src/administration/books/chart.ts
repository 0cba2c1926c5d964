import { formatBrl } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';

/** A bar of the chart; amount in centavos. `short` is its name below the axis. */
export type Bar = { label: string; short: string; amount: number };

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
