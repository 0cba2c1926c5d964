import { html, nothing, type SafeHtml } from '../../html.ts';

export type Column = { label: string; numeric?: boolean };

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
    ({ label, numeric }) =>
      html`<th role="columnheader" scope="col"${numeric ? html` class="number"` : nothing}>${label}</th>`,
  );
  const lines = rows.map(
    (cells) => html`<tr role="row">${cells.map((cell, index) => cellOf(columns[index], cell))}</tr>`,
  );
  return html`<table role="table" class="table">
    <caption class="visually-hidden">${caption}</caption>
    <thead role="rowgroup"><tr role="row">${heads}</tr></thead>
    <tbody role="rowgroup">${lines}</tbody>
  </table>`;
}

function cellOf(column: Column | undefined, cell: SafeHtml): SafeHtml {
  return html`<td role="cell" data-label="${column?.label}"${column?.numeric ? html` class="number"` : nothing}><div>${cell}</div></td>`;
}

/** The text for an empty list. */
export function emptyState(title: string, text: string, action: SafeHtml = nothing): SafeHtml {
  return html`<div class="empty"><p class="empty-title">${title}</p><p class="muted">${text}</p>${action}</div>`;
}
