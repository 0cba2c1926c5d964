import { html, type SafeHtml } from './html.ts';

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
