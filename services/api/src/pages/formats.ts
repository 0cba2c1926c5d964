import { dayText, formatBrl, timeText } from '@payments/domain/brazilian';
import { html, type SafeHtml } from './html.ts';

export { dayText, formatBrl, timeText };

/** @returns the amount as HTML without line breaks; a dash for null */
export function money(centavos: number | null): SafeHtml {
  return centavos === null
    ? html`<span class="muted">–</span>`
    : html`<span class="money">${formatBrl(centavos)}</span>`;
}

/** @returns the moment in Brazilian notation with a machine-readable value; a dash for null */
export function time(moment: Date | null): SafeHtml {
  if (!moment) return html`<span class="muted">–</span>`;
  return html`<time datetime="${moment.toISOString()}">${timeText(moment)}</time>`;
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
