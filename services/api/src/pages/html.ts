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
