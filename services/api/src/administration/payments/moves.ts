import type { StoredPayment } from '@payments/database/payments/payments';
import { mayTransition, type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import { formatBrl } from '../../pages/money.ts';

/** A change of status that an administrator may make now, with its texts. */
export type Move = { to: PaymentStatus; label: string; warning: string; confirm: string; danger: boolean };

type Words = Omit<Move, 'to'>;

const forward = (label: string, warning: string): Words => ({
  label,
  warning,
  confirm: 'Confirmar',
  danger: false,
});

const words: Partial<Record<`${PaymentStatus} ${PaymentStatus}`, Words>> = {
  'pending not_approved': {
    label: 'Cancelar pagamento',
    warning: 'A cobrança será cancelada no banco e não poderá mais ser paga. Isto não pode ser desfeito.',
    confirm: 'Cancelar pagamento',
    danger: true,
  },
  'approved paid': forward('Consolidar', 'O pagamento passa a “Consolidado”. Isto não pode ser desfeito.'),
  'paid withdrawal_processing': forward('Iniciar saque', 'O saque entra em processamento.'),
  'withdrawal_processing receipt_sent': forward(
    'Comprovante enviado',
    'O saque terminou e o comprovante foi enviado. Isto não pode ser desfeito.',
  ),
  'withdrawal_processing rejected': {
    label: 'Rejeitar saque',
    warning: 'O saque não foi feito. Ele pode ser tentado de novo depois.',
    confirm: 'Rejeitar saque',
    danger: true,
  },
  'rejected withdrawal_processing': forward(
    'Tentar o saque de novo',
    'O saque volta a estar em processamento.',
  ),
};

/** The amounts of a review, in centavos. */
type Reviewed = { charged: number; approvable: number };

/** The texts of an approval. They name the new amount if it differs from the charged one. */
function approval({ charged, approvable }: Reviewed): Words {
  const value = formatBrl(approvable);
  return forward(
    approvable === charged ? 'Aprovar' : `Aprovar por ${value}; a cobrança era de ${formatBrl(charged)}`,
    `${value} ficam disponíveis para a loja. Isto não pode ser desfeito.`,
  );
}

function rejection({ approvable }: Reviewed): Words {
  return {
    label: 'Rejeitar e devolver',
    warning: `A devolução de ${formatBrl(approvable)} a quem pagou será pedida ao banco. Isto não pode ser desfeito.`,
    confirm: 'Rejeitar e devolver',
    danger: true,
  };
}

/**
 * @param approvable amount of the payment after an approval, in centavos
 * @returns the moves that the domain allows in this status (Contract: transitions)
 */
export function movesOf(
  { status, charged }: Pick<StoredPayment, 'status' | 'charged'>,
  approvable: number,
): Move[] {
  const named: typeof words = {
    ...words,
    'review approved': approval({ charged, approvable }),
    'review not_approved': rejection({ charged, approvable }),
  };
  return paymentStatuses
    .filter((to) => mayTransition(status, to, 'administrator'))
    .map((to) => ({ to, ...(named[`${status} ${to}`] ?? forward(to, 'O status do pagamento muda.')) }));
}
