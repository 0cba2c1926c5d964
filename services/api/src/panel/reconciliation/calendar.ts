import { addDays } from '@payments/domain/days';
import { html, type SafeHtml } from '../../html.ts';

/** A day that was compared. */
export type CheckedDate = { date: string; differences: number };

const days = 90;

/** @returns the first of the last ninety days */
export function firstOf(today: string): string {
  return addDays(today, 1 - days);
}

/** The last ninety days, newest month first: each says in words, too, whether the bank and we agree. */
export function calendar(today: string, checked: readonly CheckedDate[]): SafeHtml {
  const known = new Map(checked.map((day) => [day.date, day.differences]));
  const all = Array.from({ length: days }, (_, age) => addDays(today, -age));
  const months = Map.groupBy(all, (date) => date.slice(0, 7));
  return html`${[...months].map(
    ([month, dates]) => html`<section aria-labelledby="month-${month}">
      <h2 id="month-${month}">${monthName(month)}</h2>
      <ol class="calendar">${dates.toReversed().map((date) => dayLink(date, known.get(date)))}</ol></section>`,
  )}`;
}

function dayLink(date: string, differences: number | undefined): SafeHtml {
  return html`<li><a class="day ${toneOf(differences)}" href="/panel/reconciliation/${date}">
    <span>${Number(date.slice(8))}</span><small>${sayOf(differences)}</small></a></li>`;
}

function toneOf(differences: number | undefined): string {
  if (differences === undefined) return 'none';
  return differences === 0 ? 'good' : 'bad';
}

function sayOf(differences: number | undefined): string {
  if (differences === undefined) return 'não conferido';
  if (differences === 0) return 'confere';
  return differences === 1 ? '1 diferença' : `${differences.toLocaleString('pt-BR')} diferenças`;
}

function monthName(month: string): string {
  const name = new Date(`${month}-15T12:00:00Z`).toLocaleDateString('pt-BR', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return name.charAt(0).toUpperCase() + name.slice(1);
}
