import { html, type SafeHtml } from '../../html.ts';
import { formatBrl } from '../page/money.ts';

/** A bar of the chart; amount in centavos. */
export type Bar = { label: string; amount: number };

const height = 120;
const width = 720;

/** Bars of amounts, each with its text on hover. The table beside it has the same figures for everybody. */
export function chart(label: string, bars: readonly Bar[]): SafeHtml {
  const most = Math.max(1, ...bars.map(({ amount }) => amount));
  const step = width / Math.max(1, bars.length);
  const drawn = bars.map(({ label: name, amount }, index) => {
    const tall = Math.round((amount / most) * height * 10) / 10;
    const [x, wide] = [index * step, Math.max(1, step * 0.8)].map((one) => one.toFixed(2));
    return html`<rect x="${x}" y="${height - tall}" width="${wide}" height="${tall}"><title>${name}: ${formatBrl(amount)}</title></rect>`;
  });
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${drawn}</svg>`;
}
