import { html, type SafeHtml } from '../../html.ts';
import { linkTo } from './pagination.ts';

/** A link that exports what is filtered as CSV. */
export function exportLink(path: string, filters: Record<string, string | undefined>): SafeHtml {
  return html`<a class="button" href="${linkTo(path, filters)}" download>Exportar CSV</a>`;
}
