import { html, type SafeHtml } from './html.ts';

const format = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** @returns centavos as `R$ 1.234,56` */
export function formatBrl(centavos: number): string {
  return `R$ ${format.format(centavos / 100)}`;
}

/** @returns the amount as HTML without line breaks; a dash for null */
export function money(centavos: number | null): SafeHtml {
  return centavos === null
    ? html`<span class="muted">–</span>`
    : html`<span class="money">${formatBrl(centavos)}</span>`;
}
