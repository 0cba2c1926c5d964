import type { Operation } from '@payments/domain/roles';

/** What a role may not do, in the record. */
export const operationNames: Record<Operation, string> = {
  readPayments: 'ver pagamentos',
  exportRows: 'exportar',
  reconcile: 'conciliar',
  refundUnmatched: 'devolver Pix sem pagamento',
  orderRefund: 'pedir devoluções',
  changeStatus: 'decidir e mudar o status',
  createPayment: 'criar pagamentos',
  readStores: 'ver lojas',
  changeStores: 'criar e alterar lojas',
  readBanks: 'ver bancos',
  pauseBank: 'pausar e retomar bancos',
  readOverview: 'ver a visão geral',
  readProblems: 'ver cobranças com problemas',
  manageTokens: 'gerar e desativar tokens',
  manageWebhookSecret: 'ver e trocar o segredo dos webhooks',
  redeliver: 'reenviar webhooks',
  readEndpoints: 'ver destinos',
  releaseEndpoint: 'liberar destinos',
  manageAccounts: 'administrar contas',
  manageKeys: 'administrar chaves',
  erasePersons: 'apagar dados pessoais',
  readRecord: 'ver a auditoria',
  readStoreRecord: 'ver a auditoria da loja',
};
