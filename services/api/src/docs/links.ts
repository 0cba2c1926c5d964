import { english, portuguese } from './languages.ts';
import type { Page } from './layout.ts';

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
