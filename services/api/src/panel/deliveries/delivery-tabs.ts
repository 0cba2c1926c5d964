import { html, nothing, type SafeHtml } from '../html.ts';

/** The two views of webhooks. */
export function deliveryTabs(current: 'ledger' | 'endpoints'): SafeHtml {
  const tab = (name: string, href: string, label: string) =>
    html`<li><a href="${href}"${name === current ? html` aria-current="page"` : nothing}>${label}</a></li>`;
  return html`<nav class="tabs" aria-label="Entregas"><ul>
    ${tab('ledger', '/panel/deliveries', 'Entregas')}
    ${tab('endpoints', '/panel/deliveries/endpoints', 'Destinos com falhas')}
  </ul></nav>`;
}
