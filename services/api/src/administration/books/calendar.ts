import { addDays } from '@payments/domain/days';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';

/** A day that was compared; `isFinal` if it was over then. */
export type CheckedDate = { date: string; differences: number; isFinal: boolean };

const days = 90;

/** @returns the first of the last ninety days */
export function firstOf(today: string): string {
  return addDays(today, 1 - days);
}

const weekdays = ['domingo', 'segunda', 'terça', 'quarta', 'quinta', 'sexta', 'sábado'];

/**
 * The last ninety days by weeks, newest month first: each day says in words, too, whether the bank and we agree.
 * Brazilian weeks begin on Sunday.
 */
export function calendar(today: string, checked: readonly CheckedDate[]): SafeHtml {
  const known = new Map(checked.map((day) => [day.date, day]));
  const all = Array.from({ length: days }, (_, age) => addDays(today, -age));
  const months = Map.groupBy(all, (date) => date.slice(0, 7));
  const heads = weekdays.map(
    (name) => html`<th scope="col"><abbr title="${name}">${name.slice(0, 3)}</abbr></th>`,
  );
  return html`${[...months].map(
    ([month, dates]) => html`<section aria-labelledby="month-${month}">
      <h2 id="month-${month}">${monthName(month)}</h2>
      <table class="calendar" aria-labelledby="month-${month}"><thead><tr>${heads}</tr></thead>
        <tbody>${weeksOf(dates.toReversed()).map((week) => html`<tr>${week.map((date) => dayCell(date, known, today))}</tr>`)}</tbody>
      </table></section>`,
  )}`;
}

/** @returns the days in rows of a week; a place before the first or after the last day is empty */
function weeksOf(dates: readonly string[]): (string | undefined)[][] {
  const before = new Date(`${dates[0]}T00:00:00Z`).getUTCDay();
  const weeks = Math.ceil((before + dates.length) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    weekdays.map((_, weekday) => dates[week * 7 + weekday - before]),
  );
}

function dayCell(date: string | undefined, known: ReadonlyMap<string, CheckedDate>, today: string): SafeHtml {
  return html`<td>${date ? dayLink(date, known.get(date), today) : nothing}</td>`;
}

function dayLink(date: string, checked: CheckedDate | undefined, today: string): SafeHtml {
  const { tone, says } = seen(date, checked, today);
  return html`<a class="day ${tone}" href="/panel/reconciliation/${date}">
    <span>${Number(date.slice(8))}</span>${says.map((words) => html`<small>${words}</small> `)}</a>`;
}

/** Agreement before the day's end says nothing of the rest of it, while a difference is one at any time. */
function seen(
  date: string,
  checked: CheckedDate | undefined,
  today: string,
): { tone: string; says: string[] } {
  if (checked && checked.differences > 0) return { tone: 'bad', says: [countOf(checked.differences)] };
  if (checked?.isFinal) return { tone: 'good', says: ['confere'] };
  if (checked && date === today) return { tone: 'none', says: ['confere', 'até agora'] };
  return { tone: 'none', says: ['não conferido'] };
}

function countOf(differences: number): string {
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
