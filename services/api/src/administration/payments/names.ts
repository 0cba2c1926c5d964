import type { HistoryEntry } from '@payments/database/payments/history';
import type { Refund } from '@payments/database/refunds/refunds';
import { isRefundRule, type RefundError } from '@payments/domain/bank-error';
import type { RefundReason } from '@payments/domain/refunds';
import type { Actor, ChangeReason } from '@payments/domain/status';
import { refusals } from '../../http/errors/refusals.ts';
import { bankErrorName } from '../banks/names.ts';

const actors: Record<Actor, string> = {
  store: 'Loja',
  administrator: 'Administração',
  psp: 'Banco',
  expiry: 'Expiração',
  'review-timeout': 'Prazo da análise',
  refund: 'Devolução',
};

const reasons: Record<ChangeReason, string> = {
  paid: 'O Pix chegou com o valor exato.',
  late: 'O Pix foi pago depois do prazo da cobrança.',
  cancelled: 'O Pix chegou depois que o pagamento foi cancelado.',
  amount_differs: 'O valor do Pix é diferente do valor cobrado.',
  review_above: 'O valor alcança o limite de análise da loja.',
  expired: 'Não foi pago a tempo.',
  removed_at_bank: 'A cobrança foi removida no banco.',
  review_timeout: 'A análise não foi decidida a tempo.',
  refunded: 'Tudo o que foi recebido foi devolvido.',
  returned_by_bank: 'O banco devolveu tudo o que foi recebido (MED).',
};

const seenLate = 'O Pix foi pago a tempo, com o valor exato; o banco o informou depois.';

const refundReasons: Record<RefundReason, string> = {
  second_pix: 'Segundo Pix para a mesma cobrança',
  rejected: 'Pagamento não aprovado',
  review_timeout: 'Prazo da análise esgotado',
  administrator: 'Pedida pela administração',
};

const startedByBank = 'Devolução iniciada pelo banco (MED)';
const bankReasons: Record<string, string> = {
  bank: startedByBank,
  MED_FRAUDE: `${startedByBank}: suspeita de fraude`,
  MED_OPERACIONAL: `${startedByBank}: falha operacional`,
  MED_PIX_AUTOMATICO: `${startedByBank}: Pix Automático`,
  ORIGINAL: 'Devolução feita diretamente no banco',
};

const effects: Record<string, string> = {
  returned: 'Já tinha sido devolvido',
  approved: 'Aprovou o pagamento',
  review: 'Levou à análise',
  refund: 'Segundo Pix, não conta para o pagamento.',
};

/** The compiler finds a value without a name; one that is not the service's own, such as a person's words, stays. */
const nameIn = (names: Readonly<Record<string, string>>, value: string): string => names[value] ?? value;

/** Portuguese names of recorded values. A value without a name is shown unchanged. */
export const actorName = (actor: string): string => nameIn(actors, actor);
export const effectName = (effect: string): string => nameIn(effects, effect);
/** @returns why a refund is not made: the service's rule, or the bank's reason */
export const refundErrorName = (error: RefundError): string =>
  isRefundRule(error) ? refusals[error.code] : bankErrorName(error);

/** @returns the reason of a refund: the service's rule, or a return by the bank */
export function refundReason({
  origin,
  reason,
  tokenId,
}: Pick<Refund, 'origin' | 'reason' | 'tokenId'>): string {
  if (origin === 'bank') return bankReasons[reason] ?? `${startedByBank}: ${reason}`;
  return tokenId === null ? nameIn(refundReasons, reason) : 'Pedida pela loja';
}

type Event = Pick<HistoryEntry, 'actor' | 'reason' | 'status' | 'previousStatus'>;

/** @returns the reason of a change; a person's own words stay unchanged */
export function reasonOf({ actor, reason, status, previousStatus }: Event): string | null {
  if (reason === null || actor === 'administrator') return reason;
  if (status === 'approved' && previousStatus === 'not_approved' && reason === 'paid') return seenLate;
  return nameIn(reasons, reason);
}

/** @returns the reason of a review */
export const reviewReason = (reason: string | null): string =>
  reason === null ? '' : nameIn(reasons, reason);
