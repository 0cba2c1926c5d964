import { html, type SafeHtml } from '../html.ts';

export type Page = {
  title: string;
  /** The product's name, in the head of every page. */
  name: string;
  /** This page's link in the head. */
  current: string;
  links: { href: string; text: string }[];
  /** Addresses of the style sheet, the script and the icon. */
  assets: { css: string; script: string; icon: string };
  contents: SafeHtml;
  body: SafeHtml;
};

/** @returns a complete page without inline script or style, as the CSP demands */
export function layout({ title, name, current, links, assets, contents, body }: Page): string {
  const navigation = links.map(
    ({ href, text }) => html`<a href="${href}"${href === current && html` aria-current="page"`}>${text}</a>`,
  );
  return String(html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.css}">
<script src="${assets.script}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><p class="brand"><img src="${assets.icon}" alt="" width="24" height="24"> <span>${name}</span></p><nav aria-label="Documents">${navigation}</nav></header>
<div class="frame">
<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>${contents}</details></nav>
<main id="content" tabindex="-1">
${body}
</main>
</div>
</body>
</html>
`);
}
