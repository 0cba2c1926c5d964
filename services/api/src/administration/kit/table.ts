import { html, nothing, type SafeHtml } from '../../pages/html.ts';

/** A column's label, or a column of figures. */
export type Column = string | { figures: string };

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
