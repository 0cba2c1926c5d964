import { type SafeHtml, html as template } from '@remix-run/html-template';

export type { SafeHtml };

type Value = Parameters<typeof template>[1];

/** Builds HTML. Values are escaped unless they are HTML; null and false render nothing. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): SafeHtml =>
  template(strings, ...values.map((value) => (value === false ? null : value)));

/** Trusts a text as HTML. Use it for our own texts only. */
export const trusted = (text: string): SafeHtml => template.raw`${text}`;

/** Empty HTML, for a part that is not shown. */
export const nothing = html``;

type HtmlDocument = {
  title: string;
  /** Addresses of the page's assets. */
  style: string;
  script: string;
  icon: string;
  /** More for the head. */
  head?: SafeHtml;
  body: SafeHtml;
};

/** @returns a complete page for people. The CSP allows no inline script or style */
export function htmlDocument({ title, style, script, icon, head = nothing, body }: HtmlDocument): string {
  return String(html`<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
${head}
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
${body}
</body>
</html>`);
}
