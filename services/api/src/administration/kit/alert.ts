import { html, type SafeHtml } from '../../pages/html.ts';

export type AlertKind = 'done' | 'error' | 'warning';

/** A message about the last action, announced by screen readers. */
export function alert(kind: AlertKind, text: string | SafeHtml): SafeHtml {
  return html`<div class="alert ${kind}" role="${kind === 'done' ? 'status' : 'alert'}">${text}</div>`;
}
