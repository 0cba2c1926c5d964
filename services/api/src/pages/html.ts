import { dayText, formatBrl, timeText } from '@payments/domain/brazilian';
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

export { dayText, formatBrl, timeText };

/** @returns the amount as HTML without line breaks; a dash for null */
export function money(centavos: number | null): SafeHtml {
  return centavos === null
    ? html`<span class="muted">–</span>`
    : html`<span class="money">${formatBrl(centavos)}</span>`;
}

/** @returns the moment in Brazilian notation with a machine-readable value; a dash for null */
export function time(moment: Date | null): SafeHtml {
  if (!moment) return html`<span class="muted">–</span>`;
  return html`<time datetime="${moment.toISOString()}">${timeText(moment)}</time>`;
}

/** @returns a duration in words, rounded down: `12 min`, `2 h 5 min`; `agora` below a minute */
export function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (ms <= 0) return 'agora';
  if (minutes < 1) return 'menos de 1 min';
  if (minutes < 60) return `${minutes} min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
