import { type SafeHtml, html as template } from '@remix-run/html-template';

export type { SafeHtml };

type Value = Parameters<typeof template>[1];

/** HTML of the docs and of the panel: a value is escaped unless it is HTML itself; null and false are nothing. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): SafeHtml =>
  template(strings, ...values.map((value) => (value === false ? null : value)));

/** Takes text as HTML. Only for what this service wrote itself. */
export const trusted = (text: string): SafeHtml => template.raw`${text}`;

/** Nothing, where a part of a page is not shown. */
export const nothing = html``;
