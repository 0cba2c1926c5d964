import type { StoredPayment } from '@payments/database/payments';
import { mayTransition, type PaymentStatus, paymentStatuses } from '@payments/domain/status';

/** A change of status that an administrator may make now, in words. */
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
    warning: 'A cobrança é retirada do banco e não poderá mais ser paga. Isto não pode ser desfeito.',
    confirm: 'Cancelar pagamento',
    danger: true,
  },
  'review approved': forward(
    'Aprovar',
    'O valor recebido passa a valer para a loja. Isto não pode ser desfeito.',
  ),
  'review not_approved': {
    label: 'Rejeitar e devolver',
    warning: 'Tudo o que foi recebido volta a quem pagou. Isto não pode ser desfeito.',
    confirm: 'Rejeitar e devolver',
    danger: true,
  },
  'approved paid': forward('Consolidar', 'O pagamento passa a consolidado. Isto não pode ser desfeito.'),
  'paid withdrawal_processing': forward('Iniciar saque', 'O saque passa a estar em processamento.'),
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

/** @returns what an administrator may do with a payment in this status; the domain says which (design 5) */
export function movesOf({ status }: Pick<StoredPayment, 'status'>): Move[] {
  return paymentStatuses
    .filter((to) => mayTransition(status, to, 'administrator'))
    .map((to) => ({ to, ...(words[`${status} ${to}`] ?? forward(to, 'O estado do pagamento muda.')) }));
}
