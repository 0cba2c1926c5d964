import { html, type SafeHtml } from '../../pages/html.ts';

const dash = html`<span class="muted">–</span>`;

/** The order of a payment, as its store wrote it. */
export function order(observation: string | null | undefined): SafeHtml {
  return observation ? html`<span class="clip" title="${observation}">${observation}</span>` : dash;
}

/** The order, with the customer below it, for tables without room for both. */
export function orderOf(payment: { observation: string | null; email: string | null } | undefined): SafeHtml {
  if (!payment?.email) return order(payment?.observation);
  if (!payment.observation) return customer(payment.email);
  return html`${order(payment.observation)}<span class="small block">${customer(payment.email)}</span>`;
}

/** The customer of a payment. */
export function customer(email: string | null | undefined): SafeHtml {
  return email ? html`<span class="clip" title="${email}">${email}</span>` : dash;
}
