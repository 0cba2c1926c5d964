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

const timeZone = 'America/Sao_Paulo';
// Created at first use: loading the zone's and language's data would delay the start.
let dayAndTime: Intl.DateTimeFormat | undefined;

/** @returns the moment in Brazilian notation with a machine-readable value; a dash for null */
export function time(moment: Date | null): SafeHtml {
  if (!moment) return html`<span class="muted">–</span>`;
  return html`<time datetime="${moment.toISOString()}">${timeText(moment)}</time>`;
}

/** @returns the moment in Brazilian notation, as plain text */
export function timeText(moment: Date): string {
  dayAndTime ??= new Intl.DateTimeFormat('pt-BR', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return dayAndTime.format(moment).replace(',', '');
}

/** @returns a duration in words, rounded down: `12 min`, `2 h 5 min`; `agora` below a minute */
export function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (ms <= 0) return 'agora';
  if (minutes < 1) return 'menos de 1 min';
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** @returns a day or month in Brazilian notation: `23/11/2026`, `11/2026` */
export function dayText(period: string): string {
  return period.split('-').reverse().join('/');
}
