import { timeText } from '@payments/domain/brazilian';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Message } from './messages.ts';

/** The mailbox's pages, in Portuguese like the panel. */

/** Shows a new mail without a click. */
export const refreshScript = `
const seen = document.body.dataset.newest;
setInterval(async () => {
  const answer = await fetch('/messages').catch(() => undefined);
  const newest = answer?.ok ? (await answer.json())[0]?.receivedAt ?? '' : seen;
  if (newest !== seen) location.reload();
}, 2000);
`;

const style = html.raw`
:root {
  color-scheme: light dark;
  --ground: #f4f6f8; --surface: #fff; --line: #dbe1e8; --text: #17202b; --muted: #55616f; --accent: #0f6b64;
}
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e1319; --surface: #171e27; --line: #2a3441; --text: #e7ecf2; --muted: #a3afbd; --accent: #4fd1c1 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { display: grid; gap: 16px; max-width: 760px; margin: 0 auto; padding: 24px 16px 64px }
main > * { min-width: 0 }
h1 { margin: 0; font-size: 22px; line-height: 1.25; overflow-wrap: anywhere }
p { margin: 0 }
a { color: var(--accent) }
.muted { color: var(--muted); overflow-wrap: anywhere }
ul { display: grid; margin: 0; padding: 0; list-style: none; background: var(--surface); border: 1px solid var(--line); border-radius: 10px }
li + li { border-top: 1px solid var(--line) }
li a { display: block; padding: 12px 16px; color: inherit; text-decoration: none; overflow-wrap: anywhere }
li a:hover strong { text-decoration: underline }
li span { display: block; color: var(--muted); font-size: 14px }
iframe { width: 100%; height: 70vh; border: 1px solid var(--line); border-radius: 10px; background: var(--surface) }
pre { margin: 8px 0 0; padding: 16px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }`;

/** @returns all mails, newest first */
export function listPage(messages: readonly Message[]): SafeHtml {
  const newest = messages[0]?.receivedAt.toISOString() ?? '';
  const rows = messages.map(
    ({ id, to, subject, receivedAt }) =>
      html`<li><a href="/mails/${id}"><strong>${titleOf(subject)}</strong><span>${to} · ${time(receivedAt)}</span></a></li>`,
  );
  return document(
    'Caixa de correio',
    newest,
    html`<h1>Caixa de correio</h1>
<p class="muted">Os e-mails que o serviço enviou nesta máquina. Nenhum saiu dela, seja qual for o endereço.</p>
${rows.length === 0 ? html`<p>Nenhum e-mail ainda.</p>` : html`<ul>${rows}</ul>`}
<script>${html.raw`${refreshScript}`}</script>`,
  );
}

/** @returns one mail in its two forms; the HTML in a frame that can do nothing */
export function messagePage({ id, to, from, subject, text, html: body, receivedAt }: Message): SafeHtml {
  const shownText = html`<pre>${text}</pre>`;
  const framed = html`<iframe title="O e-mail" src="/mails/${id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
<details><summary>Só texto</summary>${shownText}</details>`;
  return document(
    titleOf(subject),
    '',
    html`<p><a href="/">Caixa de correio</a></p>
<h1>${titleOf(subject)}</h1>
<p class="muted">Para ${to} · de ${from} · ${time(receivedAt)}</p>
${body === '' ? shownText : framed}`,
  );
}

/** @returns the page in place of a mail that is not there */
export function unknownPage(): SafeHtml {
  return document(
    'E-mail não encontrado',
    '',
    html`<h1>E-mail não encontrado</h1><p><a href="/">Caixa de correio</a></p>`,
  );
}

const titleOf = (subject: string) => subject || '(sem assunto)';

const time = (moment: Date) => html`<time datetime="${moment.toISOString()}">${timeText(moment)}</time>`;

function document(title: string, newest: string, content: SafeHtml): SafeHtml {
  return html`<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Correio simulado</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body data-newest="${newest}">
<main>
${content}
</main>
</body>
</html>
`;
}
