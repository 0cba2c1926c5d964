import { html, type SafeHtml } from '@remix-run/html-template';
import type { Rendered } from '../sending.ts';

/** The words of a letter, before it has a form. */
export type Content = {
  subject: string;
  /** The first sentences: what happened, and what to do. */
  lead: string;
  /** One for each thing, with its details below. */
  items?: readonly Item[];
  /** How many things there are beside the items. */
  more?: number;
  /** The one place where the person can act, if there is one. */
  action?: { label: string; url: string };
  /** Said after the link. */
  note?: string;
  /** Why the letter comes, and how to have no more of them. */
  footer: string;
};

export type Item = { title: string; details: readonly string[] };

/**
 * Gives a letter its two forms. Pure; the HTML has everything in it and loads nothing, so nobody learns that it was read.
 */
export function render(content: Content): Rendered {
  const subject = oneLine(content.subject);
  return {
    subject,
    text: textOf(content),
    html: htmlOf({ ...content, subject }),
    url: content.action?.url ?? null,
  };
}

// A name may have any character; a subject is one line.
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

function textOf({ lead, items = [], more = 0, action, note, footer }: Content): string {
  const lines = items.map(({ title, details }) =>
    [`- ${title}`, ...details.map((line) => `  ${line}`)].join('\n'),
  );
  const list = [...lines, ...moreText(more)].join('\n');
  const where = action && `${action.label}:\n${action.url}`;
  const parts = [lead, list, where, note, `--\n${footer}`];
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

const moreText = (more: number) => (more > 0 ? [`… e mais ${more.toLocaleString('pt-BR')}.`] : []);

const raw = (strings: TemplateStringsArray) => html.raw(strings);

// Colours stand twice: clients without <style> show the light ones, inline; dark ones take over where a client can.
const style = raw`
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  body { margin: 0; padding: 0; }
  @media (prefers-color-scheme: dark) {
    .page { background: #14171c !important; }
    .card { background: #1e232a !important; border-color: #323a45 !important; }
    .ink { color: #e8ebef !important; }
    .quiet { color: #a9b3c0 !important; }
    .item { border-color: #323a45 !important; }
    .button { background: #4fb286 !important; color: #0c1a14 !important; }
    .link { color: #7fd0ab !important; }
  }`;

const font = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';

function htmlOf({ subject, lead, items = [], more = 0, action, note, footer }: Content): string {
  return String(html`<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>${style}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f2f4f7;${font}">
<div class="page" style="background:#f2f4f7;padding:16px 12px">
<div class="card" style="max-width:560px;margin:0 auto;background:#ffffff;border:1px solid #dfe3e8;border-radius:12px;padding:20px">
<h1 class="ink" style="margin:0 0 12px;font-size:20px;line-height:1.3;color:#1b2430;overflow-wrap:anywhere">${unbroken(subject)}</h1>
<p class="ink" style="margin:0 0 16px;font-size:16px;line-height:1.5;color:#1b2430;overflow-wrap:anywhere">${unbroken(lead)}</p>
${items.map(itemOf)}
${moreText(more).map((text) => html`<p class="quiet" style="margin:12px 0 0;font-size:14px;color:#5a6675">${text}</p>`)}
${action && buttonOf(action)}
${note === undefined ? null : html`<p class="quiet" style="margin:0 0 12px;font-size:14px;line-height:1.5;color:#5a6675">${note}</p>`}
${action && copyOf(action)}
</div>
<p class="quiet" style="max-width:560px;margin:16px auto 0;padding:0 8px;font-size:13px;line-height:1.5;color:#5a6675">${footer}</p>
</div>
</body>
</html>
`);
}

type Action = NonNullable<Content['action']>;

const buttonOf = ({ label, url }: Action) =>
  html`<p style="margin:20px 0"><a class="button" href="${url}" style="display:block;background:#17694a;color:#ffffff;text-align:center;text-decoration:none;font-weight:600;font-size:16px;line-height:1.3;padding:14px 16px;border-radius:8px">${label}</a></p>`;

const copyOf = ({ url }: Action) =>
  html`<p class="quiet" style="margin:0;font-size:13px;line-height:1.5;color:#5a6675;overflow-wrap:anywhere">O botão não abre? Copie este endereço:<br><a class="link" href="${url}" style="color:#17694a;word-break:break-all">${url}</a></p>`;

// An amount stays on one line.
const unbroken = (text: string) => text.replaceAll('R$ ', 'R$\u00a0');

function itemOf({ title, details }: Item): SafeHtml {
  return html`<div class="item" style="border-top:1px solid #dfe3e8;padding:12px 0">
<p class="ink" style="margin:0;font-size:16px;font-weight:600;line-height:1.4;color:#1b2430;overflow-wrap:anywhere">${title}</p>
${details.map((line) => html`<p class="quiet" style="margin:2px 0 0;font-size:14px;line-height:1.45;color:#5a6675;overflow-wrap:anywhere">${line}</p>`)}
</div>`;
}
