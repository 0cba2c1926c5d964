import { html, nothing, type SafeHtml } from '../pages/html.ts';

export type PayerAssets = { css: string; script: string; icon: string };

export type PayerDocument = {
  title: string;
  main: SafeHtml;
  /** For readers without script: how often the page reloads; undefined if nothing will change. */
  reloadSeconds?: number | undefined;
};

/** The document around a payer's page. The CSP allows no inline script or style. */
export function layout(
  { title, main, reloadSeconds }: PayerDocument,
  { css, script, icon }: PayerAssets,
): string {
  const reload =
    reloadSeconds === undefined
      ? nothing
      : html`<noscript><meta http-equiv="refresh" content="${reloadSeconds}"></noscript>`;
  return String(html`<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
${reload}
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${css}">
<script type="module" src="${script}"></script>
</head>
<body>
${main}
<p class="visually-hidden" role="status" data-announce></p>
</body>
</html>`);
}
