import { createHash } from 'node:crypto';
import { may, type Operation } from '@payments/domain/roles';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { Actor } from '../../access/actor.ts';
import { pageAssets } from '../../context.ts';
import type { ApiError } from '../../http/errors/api-error.ts';
import { asApiError } from '../../http/errors/error-answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { addressOf, hasCopy, readAssets } from '../../pages/assets.ts';
import { html, htmlDocument, nothing, type SafeHtml } from '../../pages/html.ts';
import { csrfToken } from '../../people/sessions/sessions.ts';
import { postForm } from './forms.ts';

/** The panel's style, scripts and icon. */
export const panelAssets = readAssets(pageAssets, [
  'panel.css',
  'panel.js',
  'calendar.js',
  'live.js',
  'passkey.js',
  'icon.svg',
]);
export const panelAssetsPath = '/panel/assets';
const addressOfAsset = (name: string) => addressOf(panelAssets, panelAssetsPath, name);
const [style, script, icon] = ['panel.css', 'panel.js', 'icon.svg'].map(addressOfAsset) as [
  string,
  string,
  string,
];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page that shows test stores alone with `test=true` (Contract: test stores). */
    takesKind?: boolean;
  }
  interface FastifyRequest {
    /** Whether there may be test stores: their bank is configured. */
    hasTestBank?: boolean;
  }
}

type PanelPage = {
  title: string;
  section?: Section;
  /** Whether it is of test stores though its address does not say so, as where it answers a refused form. */
  isOfTests?: boolean | undefined;
  /** Renders the content with the forms' token. */
  content: (csrf: string) => SafeHtml;
};

/** Sends a complete page with the reply's status code. Only a visitor's page has no header. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: PanelPage): FastifyReply {
  const csrf = csrfToken(request, reply);
  const actor = request.actor as Actor | undefined;
  const document = htmlDocument({
    title: `${page.title} · Pagamentos`,
    ...{ style, script, icon },
    body: html`<a class="skip" href="#content">Ir para o conteúdo</a>
${actor ? header(actor, sectionsFor(request), page.section, csrf) : nothing}
<main id="content" tabindex="-1" data-session="${request.panelSession?.id ?? ''}">${actor ? kinds(request, actor, page.isOfTests) : nothing}${page.content(csrf)}</main>`,
  });
  return reply.type('text/html; charset=utf-8').send(document);
}

/**
 * Says that a page is of test stores alone, as each one is for the people of a test store, and leads the platform's to the
 * page of the others, and the other way round.
 */
function kinds(
  { url, routeOptions, hasTestBank }: FastifyRequest,
  actor: Actor,
  isPageOfTests: boolean | undefined,
): SafeHtml {
  const isOfKind = routeOptions.config.takesKind === true && actor.storeId === null;
  if (actor.isOfTests || (isPageOfTests && !isOfKind)) return html`<p class="kind test">TESTE</p>`;
  if (!isOfKind) return nothing;
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  return searchParams.get('test') === 'true'
    ? html`<p class="kind test">TESTE <a href="${pathname}">Sair dos testes</a></p>`
    : hasTestBank
      ? html`<p class="kind"><a href="${pathname}?test=true">Ver só os testes</a></p>`
      : nothing;
}

/** A person for whom no other page opens has no menu. */
function sectionsFor({ actor, isFactorMissing }: FastifyRequest): Sections {
  return isFactorMissing === true ? { main: [], more: [] } : sectionsOf(actor);
}

function header(
  actor: Actor,
  { main, more }: Sections,
  current: Section | undefined,
  csrf: string,
): SafeHtml {
  return html`<header class="top">
    <div class="top-inner">
      <a class="brand" href="/panel"><img src="${icon}" alt="" width="24" height="24"> Painel</a>
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

export type Tab = { name: string; href: string; label: string };

/** Tabs: links between the views of one subject. */
export function tabs(label: string, all: readonly Tab[], current: string): SafeHtml {
  const items = all.map(
    ({ name, href, label }) =>
      html`<li><a href="${href}"${name === current ? html` aria-current="page"` : nothing}>${label}</a></li>`,
  );
  return html`<nav class="tabs" aria-label="${label}"><ul>${items}</ul></nav>`;
}

/** Errors as pages: a message without internals, and a way back. */
export const errorPages = fastifyPlugin(
  async (app) => {
    app.setErrorHandler(showError);
    app.setNotFoundHandler((request, reply) => showError(errors.routeNotFound(), request, reply));
  },
  { name: 'panel-error-pages' },
);

function showError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = asPageError(error);
  const { statusCode, headers } = told;
  if (statusCode >= 500) request.log.error({ err: error }, 'request failed');
  void reply.code(statusCode).headers(headers);
  return sendPage(request, reply, {
    title: 'Erro',
    content: () => html`<section class="empty">
      <p class="muted">Erro ${statusCode}</p>
      <h1>${pageMessage(told)}</h1>
      <p><a class="button" href="/panel">Voltar ao início</a></p>
    </section>`,
  });
}

function asPageError(error: unknown): ApiError {
  if (isForged(error)) return errors.formExpired();
  const told = asApiError(error);
  if (told.kind === 'routeNotFound') return errors.pageNotFound();
  if (told.kind === 'unsupportedMediaType') return errors.notAForm();
  return told.kind === 'roleMayNot' ? errors.pageNotAllowed() : told;
}

const fieldNames: Record<string, string> = {
  from: 'Início do período',
  to: 'Fim do período',
  q: 'Busca',
  page: 'Página',
  status: 'Status',
  state: 'Situação',
  bank: 'Banco',
  storeId: 'Loja',
  by: 'Agrupamento',
  test: 'Lojas de testes',
  for: 'Formato',
  reason: 'Motivo',
  since: 'Criadas desde',
};

/** A wrong field comes from a link, or from a form without a message beside its fields. None of these is an amount. */
function pageMessage({ field, message }: ApiError): string {
  return field ? `${fieldNames[field.name] ?? field.name}: ${field.rule.pt('count')}` : message;
}

function isForged(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'FST_CSRF_MISSING_SECRET' || code === 'FST_CSRF_INVALID_TOKEN';
}

type Named = { section: string; href: string; name: string; for: Operation };

const sections = [
  { section: 'start', href: '/panel', name: 'Início', for: 'readPayments' },
  { section: 'payments', href: '/panel/payments', name: 'Pagamentos', for: 'readPayments' },
  { section: 'reviews', href: '/panel/reviews', name: 'Análises', for: 'readPayments' },
  { section: 'refunds', href: '/panel/refunds', name: 'Devoluções', for: 'readPayments' },
  { section: 'deliveries', href: '/panel/deliveries', name: 'Entregas', for: 'readPayments' },
  { section: 'totals', href: '/panel/totals', name: 'Totais', for: 'readPayments' },
  { section: 'reconciliation', href: '/panel/reconciliation', name: 'Conciliação', for: 'reconcile' },
  { section: 'stores', href: '/panel/stores', name: 'Lojas', for: 'readStores' },
] as const satisfies Named[];

const moreSections = [
  { section: 'attention', href: '/panel/attention', name: 'Precisa de atenção', for: 'readOverview' },
  { section: 'status', href: '/panel/status', name: 'Status', for: 'readOverview' },
  { section: 'banks', href: '/panel/banks', name: 'Bancos', for: 'readBanks' },
  { section: 'unmatched-pix', href: '/panel/unmatched-pix', name: 'Pix sem pagamento', for: 'reconcile' },
  {
    section: 'charge-problems',
    href: '/panel/charge-problems',
    name: 'Cobranças com problemas',
    for: 'readProblems',
  },
  { section: 'changes', href: '/panel/changes', name: 'Auditoria', for: 'readRecord' },
  { section: 'access', href: '/panel/accounts', name: 'Acessos', for: 'manageAccounts' },
] as const satisfies Named[];

type Section = (typeof sections | typeof moreSections)[number]['section'];
type SectionLink = Named & { section: Section };

type Sections = { main: SectionLink[]; more: SectionLink[] };

/** @returns the pages of the menu that the actor's role may open */
function sectionsOf({ role, storeId }: Actor): Sections {
  const allowed = (links: readonly SectionLink[]) => links.filter((link) => may(role, link.for));
  const ownStore = { href: `/panel/stores/${storeId}/store`, name: 'Loja' };
  const main = sections.map((link) =>
    link.section === 'stores' && storeId !== null ? { ...link, ...ownStore } : link,
  );
  return { main: allowed(main), more: allowed(moreSections) };
}

/** A part of an open page that is replaced when it changes. Screen readers then read `announce`. */
type LiveRegion = {
  id: string;
  content: SafeHtml;
  announce?: string;
  /**
   * The region without what a refused form adds to it. Live updates compare this one, so that the refused form stays on
   * the page until something else in the region changes.
   */
  plain?: SafeHtml;
};

const everyMs = 1_500;

/** The parts of a page that stay up to date while it is open. Without script they stay as loaded. */
export function live(from: string, content: SafeHtml): SafeHtml {
  return html`<div class="live-page" data-live-from="${from}" data-live-every="${everyMs}">${content}
    <p class="visually-hidden" role="status" data-live-status></p>
    <p class="alert warning" role="alert" data-live-notice hidden></p></div>`;
}

/** The version identifies the content. It ignores the forms' token, which differs in each response. */
export function liveRegion({ id, content, announce, plain }: LiveRegion, csrf: string): SafeHtml {
  return html`<div class="live-region" id="${id}" data-live="${digest(String(plain ?? content).replaceAll(csrf, ''))}"
    data-announce="${announce ?? ''}">${content}</div>`;
}

/** Sends the regions of an open page, or a 304 if none has changed since its last request. */
export function sendRegions(
  request: FastifyRequest,
  reply: FastifyReply,
  regions: (csrf: string) => readonly SafeHtml[],
): FastifyReply {
  const csrf = csrfToken(request, reply);
  const fragment = String(html`${[...regions(csrf)]}`);
  const etag = `"${digest(fragment.replaceAll(csrf, ''))}"`;
  void reply.header('etag', etag).type('text/html; charset=utf-8');
  return hasCopy(request, etag) ? reply.code(304).send() : reply.send(fragment);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
