import type { EndpointPhase } from '@payments/database/deliveries/endpoints';
import type { DeliveryState } from '@payments/database/schema';
import type { RefundState } from '@payments/domain/refunds';
import type { PaymentStatus } from '@payments/domain/status';
import { html, type SafeHtml } from '../../pages/html.ts';
import type { BankState } from '../banks/read-banks.ts';

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
