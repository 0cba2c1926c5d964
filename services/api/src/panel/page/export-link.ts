import { may } from '@payments/domain/roles';
import type { Actor } from '../../authentication/actor.ts';
import { html, nothing, type SafeHtml } from '../../html.ts';
import { linkTo } from './pagination.ts';

/** A link that exports what is filtered as CSV, where the role may. */
export function exportLink(
  { role }: Pick<Actor, 'role'>,
  path: string,
  filters: Record<string, string | undefined>,
): SafeHtml {
  if (!may(role, 'exportRows')) return nothing;
  return html`<a class="button" href="${linkTo(path, filters)}" download>Exportar CSV</a>`;
}
