import { may } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { linkTo } from './pagination.ts';

/** Links that export what is filtered, as CSV and for Excel, where the role may. */
export function exportLink(
  { role }: Pick<Actor, 'role'>,
  path: string,
  filters: Record<string, string | undefined>,
): SafeHtml {
  if (!may(role, 'exportRows')) return nothing;
  const excel = linkTo(path, { ...filters, for: 'excel' });
  return html`<div class="actions no-print"><a class="button" href="${linkTo(path, filters)}" download>Exportar CSV</a>
    <a class="button" href="${excel}" download>Exportar para Excel</a></div>`;
}
