import { html, nothing, type SafeHtml } from '../../html.ts';
import { postForm } from './forms.ts';

export type Section =
  | 'start'
  | 'payments'
  | 'totals'
  | 'reconciliation'
  | 'reviews'
  | 'deliveries'
  | 'stores'
  | 'banks';

export type Layout = {
  title: string;
  section?: Section | undefined;
  signedIn: boolean;
  /** Who is signed in. */
  person: string;
  csrf: string;
  content: SafeHtml;
};

const sections: readonly [Section, string, string][] = [
  ['start', '/panel', 'Início'],
  ['payments', '/panel/payments', 'Pagamentos'],
  ['totals', '/panel/totals', 'Totais'],
  ['reconciliation', '/panel/reconciliation', 'Conciliação'],
  ['reviews', '/panel/reviews', 'Análises'],
  ['deliveries', '/panel/deliveries', 'Entregas'],
  ['stores', '/panel/stores', 'Lojas'],
  ['banks', '/panel/banks', 'Bancos'],
];

/** The document around a page's content. The CSP allows only our own scripts and styles. */
export function layout({ title, section, signedIn, person, csrf, content }: Layout): SafeHtml {
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
${signedIn ? header(section, csrf, person) : nothing}
<main id="content" tabindex="-1">${content}</main>
</body>
</html>`;
}

function header(current: Section | undefined, csrf: string, person: string): SafeHtml {
  const links = sections.map(
    ([section, path, name]) =>
      html`<li><a href="${path}"${section === current ? html` aria-current="page"` : nothing}>${name}</a></li>`,
  );
  return html`<header class="top">
    <div class="top-inner">
      <a class="brand" href="/panel"><img src="/panel/assets/icon.svg" alt="" width="24" height="24"> Painel</a>
      <nav aria-label="Principal"><ul>${links}</ul></nav>
      <a class="person" href="/panel/my-account" title="Minha conta">${person}</a>
      ${postForm({ csrf, action: '/panel/sign-out', className: 'sign-out' }, html`<button class="button quiet">Sair</button>`)}
    </div>
  </header>`;
}
