import { html, type SafeHtml } from '../../html.ts';

const dash = html`<span class="muted">–</span>`;

/** The order of a payment, as its store wrote it. */
export function order(observation: string | null | undefined): SafeHtml {
  return observation ? html`<span class="clip" title="${observation}">${observation}</span>` : dash;
}

/** The customer of a payment. */
export function customer(email: string | null | undefined): SafeHtml {
  return email ? html`<span class="clip" title="${email}">${email}</span>` : dash;
}
