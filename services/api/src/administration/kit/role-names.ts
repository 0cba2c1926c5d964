import type { Role } from '@payments/domain/roles';

/** The roles in the panel's words. */
export const roleNames: Record<Role, string> = {
  owner: 'Proprietário',
  operator: 'Operação',
  finance: 'Financeiro',
  viewer: 'Leitura',
  store_admin: 'Loja: administração',
  store_viewer: 'Loja: leitura',
};
