import { html, htmlDocument, nothing, type SafeHtml } from '../pages/html.ts';

export type PayerAssets = { style: string; script: string; icon: string };

export type PayerDocument = {
  title: string;
  main: SafeHtml;
  /** For readers without script: how often the page reloads; undefined if nothing will change. */
  reloadSeconds?: number | undefined;
};

/** @returns the document around a payer's page */
export function layout({ title, main, reloadSeconds }: PayerDocument, assets: PayerAssets): string {
  const head =
    reloadSeconds === undefined
      ? nothing
      : html`<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>`;
  const body = html`${main}
<p class="visually-hidden" role="status" data-announce></p>`;
  return htmlDocument({ title, head, body, ...assets });
}
