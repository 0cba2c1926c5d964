import { html, type SafeHtml } from '@remix-run/html-template';

export { html, type SafeHtml };

/** Nothing, where a part of a page is not shown. */
export const nothing = html``;
