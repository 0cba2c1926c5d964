import type { PaymentStatus } from '@payments/domain/status';

const decisions: Partial<Record<`${PaymentStatus} ${PaymentStatus}`, string>> = {
  'pending not_approved': 'Pagamento cancelado',
  'review approved': 'Pagamento aprovado',
  'review not_approved': 'Pagamento rejeitado',
  'approved paid': 'Pagamento consolidado',
  'paid withdrawal_processing': 'Saque iniciado',
  'rejected withdrawal_processing': 'Saque iniciado de novo',
  'withdrawal_processing receipt_sent': 'Comprovante enviado',
  'withdrawal_processing rejected': 'Saque rejeitado',
};

/** @returns what a person decided, in words; undefined for a change that nobody decides */
export function decisionName(from: unknown, to?: unknown): string | undefined {
  return decisions[`${String(from)} ${String(to)}` as keyof typeof decisions];
}
