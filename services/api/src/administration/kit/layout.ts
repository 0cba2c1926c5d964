import type { Actor } from '../../access/actor.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { postForm } from './forms.ts';
import { type Section, type SectionLink, sectionsOf } from './sections.ts';

export type { Section };

export type Layout = {
  title: string;
  section?: Section | undefined;
  /** Who is signed in; undefined for a visitor. */
  actor: Actor | undefined;
  /** Leaves out the menu of a person for whom no other page opens. */
  isAlone?: boolean;
  csrf: string;
  content: SafeHtml;
};

/** The document around a page's content. The CSP allows only our own scripts and styles. */
export function layout({ title, section, actor, isAlone = false, csrf, content }: Layout): SafeHtml {
  return html`<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Pagamentos</title>
<link rel="icon" href="/panel/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/panel/assets/panel.css">
<script type="module" src="/panel/assets/panel.js"></script>
</head>
<body>
<a class="skip" href="#content">Ir para o conteúdo</a>
${actor ? header(actor, isAlone ? none : sectionsOf(actor), section, csrf) : nothing}
<main id="content" tabindex="-1">${content}</main>
</body>
</html>`;
}

const none = { main: [], more: [] };

function header(
  actor: Actor,
  { main, more }: ReturnType<typeof sectionsOf>,
  current: Section | undefined,
  csrf: string,
): SafeHtml {
  return html`<header class="top">
    <div class="top-inner">
      <a class="brand" href="/panel"><img src="/panel/assets/icon.svg" alt="" width="24" height="24"> Painel</a>
      <nav aria-label="Principal"><ul>${main.map((one) => item(one, current))}</ul></nav>
      ${more.length === 0 ? nothing : moreMenu(more, current)}
      ${person(actor)}
      ${postForm({ csrf, action: '/panel/sign-out', className: 'sign-out' }, html`<button class="button quiet">Sair</button>`)}
    </div>
  </header>`;
}

function person({ kind, name }: Actor): SafeHtml {
  return kind === 'account'
    ? html`<a class="person" href="/panel/my-account" title="Minha conta">${name}</a>`
    : html`<span class="person">${name}</span>`;
}

function item({ section, href, name }: SectionLink, current: Section | undefined): SafeHtml {
  return html`<li><a href="${href}"${section === current ? html` aria-current="page"` : nothing}>${name}</a></li>`;
}

/** The pages that are opened less often. It works without script. */
function moreMenu(links: readonly SectionLink[], current: Section | undefined): SafeHtml {
  const isHere = links.some(({ section }) => section === current);
  return html`<details class="more${isHere ? ' here' : ''}"><summary>Mais</summary>
    <nav aria-label="Mais páginas"><ul>${links.map((one) => item(one, current))}</ul></nav></details>`;
}
