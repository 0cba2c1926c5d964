import { type Assets, addressOf } from '../pages/assets.ts';
import { html, type SafeHtml } from '../pages/html.ts';
import { english, type Language, portuguese, type TextName, textNames } from './languages.ts';

export type Page = {
  title: string;
  /** The product's name, in the head of every page. */
  product: string;
  /** The path of all pages. */
  base: string;
  page: '' | `/${TextName}`;
  /** The address of all pages for those who come from elsewhere; undefined is unknown. */
  address: string | undefined;
  language: Language;
  /** Whether there is a guide, and the other language. */
  isForStores: boolean;
  assets: Assets;
  contents: SafeHtml;
  body: SafeHtml;
};

/** @returns a complete page without inline script or style, as the CSP demands */
export function layout(given: Page): string {
  const { title, product, base, language, assets, contents, body } = given;
  const { words } = language;
  const at = (name: string) => addressOf(assets, `${base}/assets`, name);
  return String(html`<!DOCTYPE html>
<html lang="${language.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${headLinks(given)}
<link rel="icon" href="${at('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${at('docs.css')}">
<script src="${at('docs.js')}" defer></script>
</head>
<body data-base="${base.replace(/\/docs$/, '')}" data-docs="${base}">
<a class="skip" href="#content">${words.skip}</a>
<header class="top"><p class="brand"><img src="${at('icon.svg')}" alt="" width="24" height="24"> <span>${product}</span></p>${given.isForStores && html`<div class="search" hidden></div>`}<nav aria-label="${words.documents}">${documentLinks(given)}</nav>${languageLinks(given)}</header>
<div class="frame">
<nav class="contents" aria-label="${words.onThisPage}"><details open><summary>${words.onThisPage}</summary>${contents}</details></nav>
<main id="content" tabindex="-1">
${body}
</main>
</div>
${footer(given)}
</body>
</html>
`);
}

/** Links for programs: this page's own address, the same in the other language and as Markdown, and what it documents. */
function headLinks({ base, address, page, language, isForStores }: Page): SafeHtml {
  const { path } = language;
  const others = isForStores ? [english, portuguese] : [];
  return html`${address !== undefined && html`<link rel="canonical" href="${address}${path}${page}">\n`}${others.map(
    (one) => html`<link rel="alternate" hreflang="${one.lang}" href="${base}${one.path}${page}">\n`,
  )}<link rel="alternate" type="text/markdown" href="${base}${path}${page || '/reference'}.md">
<link rel="service-desc" type="application/json" href="${base}/json">`;
}

/** Links the pages that are not in the head, and this one for programs. */
function footer({ base, page, language: { path, words }, isForStores }: Page): SafeHtml {
  const others = isForStores ? textNames.filter((name) => name !== 'guide') : [];
  const links = others.map((name) => html`<a href="${base}${path}/${name}">${words.pages[name].title}</a> `);
  const root = base.replace(/\/docs$/, '');
  return html`<footer class="more"><nav aria-label="${words.more}">${links}<a href="${base}${path}${page || '/reference'}.md" type="text/markdown">${words.asMarkdown}</a> <a href="${root}/llms.txt">llms.txt</a></nav></footer>`;
}

function documentLinks({ base, page, language: { path, words }, isForStores }: Page): SafeHtml[] {
  const links = [['', words.reference] as const, ...(isForStores ? [['/guide', words.guide] as const] : [])];
  return links.map(
    ([name, text]) =>
      html`<a href="${base}${path}${name}"${name === page && html` aria-current="page"`}>${text}</a>`,
  );
}

/** Links this page in the other language. */
function languageLinks({ base, page, language, isForStores }: Page): SafeHtml {
  if (!isForStores) return html``;
  const { lang, name, path } = language === english ? portuguese : english;
  return html`<a class="language" href="${base}${path}${page}" lang="${lang}" hreflang="${lang}">${name}</a>`;
}

/**
 * @returns the `Link` header of a page (RFC 8288), for programs that read no HTML: the description of the interface
 * (RFC 8631), its documentation, this page as Markdown and in other languages, and its own address (RFC 6596)
 */
export function docsLinks({
  base,
  address,
  page,
  language: { path },
  isForStores,
}: Pick<Page, 'base' | 'address' | 'page' | 'language' | 'isForStores'>): string {
  const languages = isForStores ? [english, portuguese] : [];
  return [
    serviceLinks(base),
    ...(address === undefined ? [] : [`<${address}${path}${page}>; rel="canonical"`]),
    ...languages.map((one) => `<${base}${one.path}${page}>; rel="alternate"; hreflang="${one.lang}"`),
    `<${base}${path}${page || '/reference'}.md>; rel="alternate"; type="text/markdown"`,
  ].join(', ');
}

/** @returns the path of the docs pages: what a listener's address has of a path precedes it */
export const docsPath = (url: string): string =>
  `${new URL(url, 'http://localhost').pathname.replace(/\/$/, '')}/docs`;

/** @returns where an interface is described, for programs and for people (RFC 8631) */
export const serviceLinks = (base: string): string =>
  `<${base}/json>; rel="service-desc"; type="application/json", <${base}>; rel="service-doc"; type="text/html"`;
