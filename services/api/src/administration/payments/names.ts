import type { HistoryEntry } from '@payments/database/payments/history';
import type { StoredPayment } from '@payments/database/payments/payments';
import type { Refund } from '@payments/database/refunds/refunds';
import { isRefundRule, type RefundError } from '@payments/domain/bank-error';
import { isMed, type RefundReason, untoldNature } from '@payments/domain/refunds';
import {
  type AdministratorTransition,
  type ChangeReason,
  type Mover,
  type PaymentStatus,
  paymentStatuses,
} from '@payments/domain/status';
import { refusals } from '../../http/errors/api-error.ts';
import { formatBrl } from '../../pages/html.ts';
import { bankErrorName } from '../banks/names.ts';

const actors: Record<Mover, string> = {
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

const returnedAtBank = 'Tudo o que foi recebido foi devolvido diretamente no banco, e não por este serviço.';
const returnedUntold = 'Tudo o que foi recebido foi devolvido no banco, que não informou a origem.';
const seenLate = 'O Pix foi pago a tempo, com o valor exato; o banco o informou depois.';

const refundReasons: Record<RefundReason, string> = {
  second_pix: 'Segundo Pix para a mesma cobrança',
  rejected: 'Pagamento não aprovado',
  review_timeout: 'Prazo da análise esgotado',
  administrator: 'Pedida pela administração',
};

const startedByBank = 'Devolução iniciada pelo banco (MED)';
const madeAtBank = 'Devolução feita diretamente no banco';
const untold = 'Devolução iniciada no banco, que não informou a origem';
const recovered = 'Pedida por este serviço, recuperada do banco';
const bankReasons: Record<string, string> = {
  [untoldNature]: untold,
  MED_FRAUDE: `${startedByBank}: suspeita de fraude`,
  MED_OPERACIONAL: `${startedByBank}: falha operacional`,
  MED_PIX_AUTOMATICO: `${startedByBank}: Pix Automático`,
  ORIGINAL: madeAtBank,
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

/** @returns the reason of a refund: the service's rule, or a return at the bank */
export function refundReason({
  origin,
  reason,
  tokenId,
}: Pick<Refund, 'origin' | 'reason' | 'tokenId'>): string {
  if (origin === 'bank')
    return bankReasons[reason] ?? `${isMed(reason) ? startedByBank : madeAtBank}: ${reason}`;
  if (tokenId !== null) return 'Pedida pela loja';
  // A restored database finds an order of ours that it lost as the bank has it, without its reason.
  return Object.hasOwn(bankReasons, reason) ? recovered : nameIn(refundReasons, reason);
}

type Event = Pick<HistoryEntry, 'actor' | 'reason' | 'status' | 'previousStatus'>;

/**
 * @param returned what went back of the payment's own money
 * @returns the reason of a change; a person's own words stay unchanged
 */
export function reasonOf(
  { actor, reason, status, previousStatus }: Event,
  returned: readonly Pick<Refund, 'origin' | 'reason'>[],
): string | null {
  if (reason === null || actor === 'administrator') return reason;
  if (status === 'approved' && previousStatus === 'not_approved' && reason === 'paid') return seenLate;
  const atBank = returned.filter(({ origin }) => origin === 'bank');
  if (reason === 'returned_by_bank' && !atBank.every((one) => isMed(one.reason)))
    return atBank.some((one) => one.reason === untoldNature) ? returnedUntold : returnedAtBank;
  return nameIn(reasons, reason);
}

/** @returns the reason of a review */
export const reviewReason = (reason: string | null): string =>
  reason === null ? '' : nameIn(reasons, reason);

/** The amounts that a decision is about, in centavos. */
export type DecidedAmounts = {
  /** Amount of the payment after an approval. */
  approvable: number;
  /** The part of it that neither has gone back nor is on its way. */
  refundable: number;
};

type Amounts = DecidedAmounts & { charged: number };

/** The texts of a decision's form. */
type Question = { label: string; warning: string; confirm: string; danger: boolean };

type DecisionWords = {
  /** The decision in the record, and in the notice after it. */
  done: string;
  question: (amounts: Amounts) => Question;
};

const forward = (label: string, warning: string): Question => ({
  label,
  warning,
  confirm: 'Confirmar',
  danger: false,
});
const refusal = (label: string, warning: string): Question => ({
  label,
  warning,
  confirm: label,
  danger: true,
});

/** Words for every decision that the domain allows: the compiler finds one without words. */
const decisions: Record<AdministratorTransition, DecisionWords> = {
  'pending not_approved': {
    done: 'Pagamento cancelado',
    question: () =>
      refusal(
        'Cancelar pagamento',
        'A cobrança será cancelada no banco e não poderá mais ser paga. Isto não pode ser desfeito.',
      ),
  },
  'review approved': { done: 'Pagamento aprovado', question: approval },
  'review not_approved': {
    done: 'Pagamento rejeitado',
    question: (amounts) =>
      refusal('Rejeitar e devolver', `${returnAfterRejection(amounts)} Isto não pode ser desfeito.`),
  },
  'approved paid': {
    done: 'Pagamento consolidado',
    question: () => forward('Consolidar', 'O pagamento passa a “Consolidado”. Isto não pode ser desfeito.'),
  },
  'paid withdrawal_processing': {
    done: 'Saque iniciado',
    question: () => forward('Iniciar saque', 'O saque entra em processamento.'),
  },
  'rejected withdrawal_processing': {
    done: 'Saque iniciado de novo',
    question: () => forward('Tentar o saque de novo', 'O saque volta a estar em processamento.'),
  },
  'withdrawal_processing receipt_sent': {
    done: 'Comprovante enviado',
    question: () =>
      forward(
        'Comprovante enviado',
        'O saque terminou e o comprovante foi enviado. Isto não pode ser desfeito.',
      ),
  },
  'withdrawal_processing rejected': {
    done: 'Saque rejeitado',
    question: () => refusal('Rejeitar saque', 'O saque não foi feito. Ele pode ser tentado de novo depois.'),
  },
};

function returnAfterRejection({ approvable, refundable }: Amounts): string {
  if (refundable > 0) return `A devolução de ${formatBrl(refundable)} a quem pagou será pedida ao banco.`;
  return approvable > 0 ? 'A devolução já está em andamento.' : 'Tudo o que foi recebido já foi devolvido.';
}

/** The texts of an approval. They name the new amount if it differs from the charged one. */
function approval({ charged, approvable }: Amounts): Question {
  const value = formatBrl(approvable);
  return forward(
    approvable === charged ? 'Aprovar' : `Aprovar por ${value}; a cobrança era de ${formatBrl(charged)}`,
    `${value} ficam disponíveis para a loja. Isto não pode ser desfeito.`,
  );
}

const isDecision = (transition: string): transition is AdministratorTransition =>
  Object.hasOwn(decisions, transition);

/** A change of status that an administrator may make now, with its texts. */
export type Move = Question & { to: PaymentStatus };

/** @returns the moves that the domain allows in this status (Contract: transitions) */
export function movesOf(
  { status, charged }: Pick<StoredPayment, 'status' | 'charged'>,
  amounts: DecidedAmounts,
): Move[] {
  return paymentStatuses.flatMap((to) => {
    const transition = `${status} ${to}`;
    return isDecision(transition) ? [{ to, ...decisions[transition].question({ charged, ...amounts }) }] : [];
  });
}

/** @returns what a person decided, in words; undefined for a change that nobody decides */
export function decisionName(from: unknown, to?: unknown): string | undefined {
  const transition = `${String(from)} ${String(to)}`;
  return isDecision(transition) ? decisions[transition].done : undefined;
}
