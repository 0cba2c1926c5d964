import type { Page } from '@payments/database/filters';
import { readPage } from '../../http/readers.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { textOf } from './form-values.ts';

/** A column's label, or a column of figures. */
type Column = string | { figures: string };

export const numeric = (figures: string): Column => ({ figures });

/**
 * A table that becomes a list of cards on phones. That layout would hide the table from screen readers without
 * explicit roles.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly SafeHtml[])[],
): SafeHtml {
  const heads = columns.map(
    (column) => html`<th role="columnheader" scope="col"${numberClass(column)}>${labelOf(column)}</th>`,
  );
  const lines = rows.map((cells) => {
    const shown = columns.map((column, index) => cellOf(column, cells[index]));
    return html`<tr role="row">${shown}</tr>`;
  });
  return html`<table role="table" class="table">
    <caption class="visually-hidden">${caption}</caption>
    <thead role="rowgroup"><tr role="row">${heads}</tr></thead>
    <tbody role="rowgroup">${lines}</tbody>
  </table>`;
}

function cellOf(column: Column, cell: SafeHtml | undefined): SafeHtml {
  return html`<td role="cell" data-label="${labelOf(column)}"${numberClass(column)}><div>${cell}</div></td>`;
}

const labelOf = (column: Column) => (typeof column === 'string' ? column : column.figures);

const numberClass = (column: Column) => (typeof column === 'string' ? nothing : html` class="number"`);

/** The text for an empty list. */
export function emptyState(title: string, text: string, action: SafeHtml = nothing): SafeHtml {
  return html`<div class="empty"><p class="empty-title">${title}</p><p class="muted">${text}</p>${action}</div>`;
}

type Pages = Page & { total: number };

/**
 * Reads the page that the address asks for; the last one where the list has become shorter.
 * @throws ApiError 400 for one that is no page
 */
export async function pageOf<Found extends { total: number }>(
  query: unknown,
  read: (page: Page) => Promise<Found>,
): Promise<Found & Page> {
  const page = readPage({ page: textOf(query, 'page') || undefined });
  const found = await read(page);
  const last = lastOf({ ...page, total: found.total });
  if (page.page <= last) return { ...found, ...page };
  return { ...(await read({ ...page, page: last })), ...page, page: last };
}

const lastOf = ({ limit, total }: Pages) => Math.max(1, Math.ceil(total / limit));

/** Links to the previous and the next page of a list, with the same filters. */
export function pagination(
  { page, limit, total }: Pages,
  path: string,
  filters: Record<string, string> = {},
): SafeHtml {
  const link = (number: number) => linkTo(path, { ...filters, page: number });
  const last = lastOf({ page, limit, total });
  if (last === 1 && page === 1) return nothing;
  const count = total.toLocaleString('pt-BR');
  return html`<nav class="pagination" aria-label="Páginas">
    ${page > 1 ? html`<a class="button" rel="prev" href="${link(page - 1)}">Anterior</a>` : html`<span></span>`}
    <p class="muted">Página ${page.toLocaleString('pt-BR')} de ${last.toLocaleString('pt-BR')} · ${count} no total</p>
    ${page < last ? html`<a class="button" rel="next" href="${link(page + 1)}">Próxima</a>` : html`<span></span>`}
  </nav>`;
}

/** @returns a link with the non-empty query values */
export function linkTo(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
}
