import { html, type SafeHtml } from '../../html.ts';

/** Text to be copied whole, with a button that does so; the button shows only where script runs. */
export function copyable(label: string, text: string): SafeHtml {
  return html`<div class="copyable">
    <code tabindex="0" role="textbox" aria-readonly="true" aria-label="${label}">${text}</code>
    <button type="button" class="button small" data-copy="${text}" aria-label="Copiar: ${label}" hidden>Copiar</button>
  </div>`;
}
