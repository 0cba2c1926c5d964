import type { Role } from '@payments/domain/roles';
import type { NoticeKind } from './kinds.ts';

/** The panel's and the mails' words for roles and kinds. */

export const roleNames: Record<Role, string> = {
  owner: 'Proprietário',
  operator: 'Operação',
  finance: 'Financeiro',
  viewer: 'Leitura',
  store_admin: 'Loja: administração',
  store_viewer: 'Loja: leitura',
};

export const kindNames: Record<NoticeKind, string> = {
  review_waiting: 'Pagamento em análise',
  refund_owed: 'Devolução que o banco recusou',
  returned_by_bank: 'Devolução iniciada no banco',
  unmatched_pix: 'Pix sem pagamento',
  endpoint_failing: 'Destino de webhooks em pausa',
  bank_failing: 'Banco com falhas',
  reconciliation_differs: 'Diferença na conciliação',
  certificate_expires: 'Certificado do banco perto do vencimento',
};
