import { countedAtMost } from '@payments/database/backlog';
import type { EndpointPhase } from '@payments/database/deliveries/endpoints';
import type { DeliveryState } from '@payments/database/schema';
import type { RefundState } from '@payments/domain/refunds';
import type { PaymentStatus } from '@payments/domain/status';
import type { TokenDeed } from '@payments/domain/store-choices';
import type { Refusal } from '@payments/settlement/refusals';
import { refusalText } from '../../http/errors/api-error.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import type { BankState } from '../banks/actions.ts';
import { decisionName } from '../payments/names.ts';

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

/** @returns why a rule refused what a person asked, as pages say it */
export const refusalWords = (refusal: Refusal): string =>
  refusalText(refusal, (status) => `“${statusNames[status][1]}”`);

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
  'bank-paused-already': 'O banco já estava pausado. O seu motivo também está registrado.',
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
