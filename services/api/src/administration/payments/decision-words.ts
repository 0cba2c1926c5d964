import type { StoredPayment } from '@payments/database/payments/payments';
import { type AdministratorTransition, type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import { formatBrl } from '../../pages/html.ts';

/** The amounts of a payment: charged, and after an approval; in centavos. */
type Amounts = { charged: number; approvable: number };

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
    question: ({ approvable }) =>
      refusal(
        'Rejeitar e devolver',
        `A devolução de ${formatBrl(approvable)} a quem pagou será pedida ao banco. Isto não pode ser desfeito.`,
      ),
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

/**
 * @param approvable amount of the payment after an approval, in centavos
 * @returns the moves that the domain allows in this status (Contract: transitions)
 */
export function movesOf(
  { status, charged }: Pick<StoredPayment, 'status' | 'charged'>,
  approvable: number,
): Move[] {
  return paymentStatuses.flatMap((to) => {
    const transition = `${status} ${to}`;
    return isDecision(transition) ? [{ to, ...decisions[transition].question({ charged, approvable }) }] : [];
  });
}

/** @returns what a person decided, in words; undefined for a change that nobody decides */
export function decisionName(from: unknown, to?: unknown): string | undefined {
  const transition = `${String(from)} ${String(to)}`;
  return isDecision(transition) ? decisions[transition].done : undefined;
}
