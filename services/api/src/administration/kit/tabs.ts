import { html, nothing, type SafeHtml } from '../../pages/html.ts';

export type Tab = { name: string; href: string; label: string };

/** Tabs: links between the views of one subject. */
export function tabs(label: string, all: readonly Tab[], current: string): SafeHtml {
  const items = all.map(
    ({ name, href, label }) =>
      html`<li><a href="${href}"${name === current ? html` aria-current="page"` : nothing}>${label}</a></li>`,
  );
  return html`<nav class="tabs" aria-label="${label}"><ul>${items}</ul></nav>`;
}
