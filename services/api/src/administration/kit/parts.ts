import { countedAtMost } from '@payments/database/backlog';
import type { EndpointPhase } from '@payments/database/deliveries/endpoints';
import type { Page } from '@payments/database/filters';
import type { DeliveryState } from '@payments/database/schema';
import type { RefundState } from '@payments/domain/refunds';
import type { PaymentStatus } from '@payments/domain/status';
import type { TokenDeed } from '@payments/domain/store-choices';
import { readPage } from '../../http/readers.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import type { BankState } from '../banks/actions.ts';
import { decisionName } from '../payments/decision-words.ts';
import { textOf } from './form-values.ts';

type Tone = 'neutral' | 'good' | 'wait' | 'bad' | 'busy';
type Names<T extends string> = Record<T, readonly [Tone, string]>;

export const statusNames: Names<PaymentStatus> = {
  pending: ['busy', 'Pendente'],
  approved: ['good', 'Aprovado'],
  review: ['wait', 'Em análise'],
  not_approved: ['bad', 'Não aprovado'],
  paid: ['good', 'Consolidado'],
  withdrawal_processing: ['busy', 'Saque em processamento'],
  receipt_sent: ['good', 'Comprovante enviado'],
  rejected: ['bad', 'Rejeitado'],
};

export const deliveryNames: Names<DeliveryState> = {
  pending: ['busy', 'Pendente'],
  delivered: ['good', 'Entregue'],
  dead: ['bad', 'Falhou'],
};

export const refundNames: Names<RefundState> = {
  requested: ['busy', 'Pedida'],
  processing: ['busy', 'Em processamento'],
  refunded: ['good', 'Devolvida'],
  failed: ['bad', 'Não realizada'],
};

export const phaseNames: Names<EndpointPhase> = {
  closed: ['wait', 'Falhando'],
  open: ['bad', 'Em pausa'],
};

const bankNames: Names<BankState> = {
  healthy: ['good', 'Normal'],
  failing: ['bad', 'Com falhas'],
  paused: ['wait', 'Pausado'],
};

/** A state as a coloured word, never as a colour alone. */
export function badge(tone: Tone, text: string): SafeHtml {
  return html`<span class="badge ${tone}">${text}</span>`;
}

export const statusBadge = (status: PaymentStatus): SafeHtml => badge(...statusNames[status]);
export const deliveryBadge = (state: DeliveryState): SafeHtml => badge(...deliveryNames[state]);
export const refundBadge = (state: RefundState): SafeHtml => badge(...refundNames[state]);
export const phaseBadge = (phase: EndpointPhase): SafeHtml => badge(...phaseNames[phase]);
export const bankBadge = (state: BankState): SafeHtml => badge(...bankNames[state]);
export const activeBadge = (active: boolean): SafeHtml =>
  active ? badge('good', 'Ativa') : badge('bad', 'Inativa');

/** Says of what is a test store's that it is a test; nothing of the rest (Contract: test stores). */
export const testBadge = (test: boolean): SafeHtml => (test ? html`${badge('wait', 'TESTE')} ` : nothing);

/** The deeds of a store's token, in words. */
export const tokenDeedNames: Record<TokenDeed, string> = { refund: 'devolver', cancel: 'cancelar' };

/** A number that links to what it counts; coloured if it is not zero. */
export function figure(
  href: string,
  label: string,
  total: number,
  note = '',
  tone: 'due' | 'calm' = 'due',
): SafeHtml {
  const more = total >= countedAtMost ? '+' : '';
  return html`<a class="figure ${total > 0 ? tone : ''}" href="${href}"><span>${label}</span>
    <strong>${total.toLocaleString('pt-BR')}${more}</strong>${note ? html`<small>${note}</small>` : nothing}</a>`;
}

/** A text with a button that copies it. The button appears only if the page's script runs. */
export function copyable(label: string, text: string): SafeHtml {
  return html`<div class="copyable">
    <code tabindex="0" role="textbox" aria-readonly="true" aria-label="${label}">${text}</code>
    <button type="button" class="button small" data-copy="${text}" aria-label="Copiar: ${label}" hidden>Copiar</button>
  </div>`;
}

const dash = html`<span class="muted">–</span>`;

/** The order of a payment, as its store wrote it. */
export function order(observation: string | null | undefined): SafeHtml {
  return observation ? html`<span class="clip" title="${observation}">${observation}</span>` : dash;
}

/** The order, with the customer below it, for tables without room for both. */
export function orderOf(payment: { observation: string | null; email: string | null } | undefined): SafeHtml {
  if (!payment?.email) return order(payment?.observation);
  if (!payment.observation) return customer(payment.email);
  return html`${order(payment.observation)}<span class="small block">${customer(payment.email)}</span>`;
}

/** The customer of a payment. */
function customer(email: string | null | undefined): SafeHtml {
  return email ? html`<span class="clip" title="${email}">${email}</span>` : dash;
}

/** A column's label, or a column of figures. */
type Column = string | { figures: string };

export const numeric = (figures: string): Column => ({ figures });

/**
 * A table that becomes a list of cards on phones. That layout would hide the table from screen readers without
 * explicit roles.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly SafeHtml[])[],
): SafeHtml {
  const heads = columns.map(
    (column) => html`<th role="columnheader" scope="col"${numberClass(column)}>${labelOf(column)}</th>`,
  );
  const lines = rows.map((cells) => {
    const shown = columns.map((column, index) => cellOf(column, cells[index]));
    return html`<tr role="row">${shown}</tr>`;
  });
  return html`<table role="table" class="table">
    <caption class="visually-hidden">${caption}</caption>
    <thead role="rowgroup"><tr role="row">${heads}</tr></thead>
    <tbody role="rowgroup">${lines}</tbody>
  </table>`;
}

function cellOf(column: Column, cell: SafeHtml | undefined): SafeHtml {
  return html`<td role="cell" data-label="${labelOf(column)}"${numberClass(column)}><div>${cell}</div></td>`;
}

const labelOf = (column: Column) => (typeof column === 'string' ? column : column.figures);
const numberClass = (column: Column) => (typeof column === 'string' ? nothing : html` class="number"`);

/** The text for an empty list. */
export function emptyState(title: string, text: string, action: SafeHtml = nothing): SafeHtml {
  return html`<div class="empty"><p class="empty-title">${title}</p><p class="muted">${text}</p>${action}</div>`;
}

type Pages = Page & { total: number };

/** @returns the page that the address asks for @throws ApiError 400 for one that is no page */
export function pageIn(query: unknown): Page {
  return readPage({ page: textOf(query, 'page') || undefined });
}

/** Links to the previous and the next page of a list, with the same filters. */
export function pagination(
  { page, limit, total }: Pages,
  path: string,
  filters: Record<string, string> = {},
): SafeHtml {
  const link = (number: number) => linkTo(path, { ...filters, page: number });
  const last = Math.max(1, Math.ceil(total / limit));
  if (last === 1 && page === 1) return nothing;
  const count = total.toLocaleString('pt-BR');
  return html`<nav class="pagination" aria-label="Páginas">
    ${page > 1 ? html`<a class="button" rel="prev" href="${link(page - 1)}">Anterior</a>` : html`<span></span>`}
    <p class="muted">Página ${page} de ${last.toLocaleString('pt-BR')} · ${count} no total</p>
    ${page < last ? html`<a class="button" rel="next" href="${link(page + 1)}">Próxima</a>` : html`<span></span>`}
  </nav>`;
}

/** @returns a link with the non-empty query values */
export function linkTo(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(
    Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  ).toString();
  return text === '' ? path : `${path}?${text}`;
}

const notices: Record<string, string> = {
  'store-created': 'Loja criada. Gere o token para que ela use a API.',
  'store-saved': 'Alterações salvas.',
  'store-activated': 'Loja ativada.',
  'store-deactivated': 'Loja desativada.',
  'token-deactivated': 'Token desativado.',
  'secret-rotated': 'Segredo trocado.',
  'payment-created': 'Pagamento criado.',
  'sent-again': 'A entrega será enviada de novo agora.',
  'refund-requested': 'Devolução pedida ao banco.',
  'refund-ordered': 'Nova devolução pedida ao banco.',
  'refund-withdrawn': 'Devolução retirada: o valor continua com a loja.',
  'day-checked': 'Dia conferido.',
  'bank-paused': 'Banco pausado: não recebe cobranças novas.',
  'bank-resumed': 'Banco retomado: volta a receber cobranças.',
  'password-set': 'Senha definida.',
  'password-changed': 'Senha trocada. As outras sessões foram encerradas.',
  'second-factor-off': 'Segundo fator desativado.',
  'passkey-added': 'Chave de acesso criada.',
  'passkey-removed': 'Chave de acesso removida.',
  'notices-saved': 'Avisos salvos.',
  'sessions-ended': 'Sessões encerradas.',
  'account-saved': 'Conta salva.',
  'key-deleted': 'Chave apagada.',
  'endpoint-released': 'Destino liberado. As entregas foram retomadas.',
};

/** @param done name of the notice, from the redirect's query */
export function notice(done: unknown): SafeHtml {
  if (typeof done !== 'string') return nothing;
  const text = Object.hasOwn(notices, done) ? notices[done] : decided(done);
  return text ? alert('done', text) : nothing;
}

/** @returns the notice of a decision, which is named by the statuses before and after it */
function decided(done: string): string | undefined {
  const name = decisionName(...(done.split('-') as [string, string?]));
  return name && `${name}.`;
}

type AlertKind = 'done' | 'error' | 'warning';

/** A message about the last action, announced by screen readers. */
export function alert(kind: AlertKind, text: string | SafeHtml): SafeHtml {
  return html`<div class="alert ${kind}" role="${kind === 'done' ? 'status' : 'alert'}">${text}</div>`;
}
