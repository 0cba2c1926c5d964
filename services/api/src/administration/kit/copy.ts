import { html, type SafeHtml } from '../../pages/html.ts';

/** A text with a button that copies it. The button appears only if the page's script runs. */
export function copyable(label: string, text: string): SafeHtml {
  return html`<div class="copyable">
    <code tabindex="0" role="textbox" aria-readonly="true" aria-label="${label}">${text}</code>
    <button type="button" class="button small" data-copy="${text}" aria-label="Copiar: ${label}" hidden>Copiar</button>
  </div>`;
}
