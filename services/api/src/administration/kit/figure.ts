import { countedAtMost } from '@payments/database/backlog';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';

/** A number that links to what it counts; coloured if it is not zero. */
export function figure(
  href: string,
  label: string,
  total: number,
  note = '',
  tone: 'due' | 'calm' = 'due',
): SafeHtml {
  const more = total >= countedAtMost ? '+' : '';
  return html`<a class="figure ${total > 0 ? tone : ''}" href="${href}"><span>${label}</span>
    <strong>${total.toLocaleString('pt-BR')}${more}</strong>${note ? html`<small>${note}</small>` : nothing}</a>`;
}
