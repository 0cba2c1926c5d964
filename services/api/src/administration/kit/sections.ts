import { may, type Operation } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';

type Named = { section: string; href: string; name: string; for: Operation };

const sections = [
  { section: 'start', href: '/panel', name: 'Início', for: 'readPayments' },
  { section: 'payments', href: '/panel/payments', name: 'Pagamentos', for: 'readPayments' },
  { section: 'reviews', href: '/panel/reviews', name: 'Análises', for: 'readPayments' },
  { section: 'refunds', href: '/panel/refunds', name: 'Devoluções', for: 'readPayments' },
  { section: 'deliveries', href: '/panel/deliveries', name: 'Entregas', for: 'readPayments' },
  { section: 'totals', href: '/panel/totals', name: 'Totais', for: 'readPayments' },
  { section: 'reconciliation', href: '/panel/reconciliation', name: 'Conciliação', for: 'reconcile' },
  { section: 'stores', href: '/panel/stores', name: 'Lojas', for: 'readStores' },
] as const satisfies Named[];

const moreSections = [
  { section: 'attention', href: '/panel/attention', name: 'Precisa de atenção', for: 'readOverview' },
  { section: 'status', href: '/panel/status', name: 'Status', for: 'readOverview' },
  { section: 'banks', href: '/panel/banks', name: 'Bancos', for: 'readBanks' },
  { section: 'unmatched-pix', href: '/panel/unmatched-pix', name: 'Pix sem pagamento', for: 'reconcile' },
  {
    section: 'charge-problems',
    href: '/panel/charge-problems',
    name: 'Cobranças com problemas',
    for: 'readProblems',
  },
  { section: 'changes', href: '/panel/changes', name: 'Auditoria', for: 'readRecord' },
  { section: 'access', href: '/panel/accounts', name: 'Acessos', for: 'manageAccounts' },
] as const satisfies Named[];

export type Section = (typeof sections | typeof moreSections)[number]['section'];
export type SectionLink = Named & { section: Section };

/** @returns the pages of the menu that the actor's role may open */
export function sectionsOf({ role, storeId }: Actor): { main: SectionLink[]; more: SectionLink[] } {
  const allowed = (links: readonly SectionLink[]) => links.filter((link) => may(role, link.for));
  const ownStore = { href: `/panel/stores/${storeId}/store`, name: 'Loja' };
  const main = sections.map((link) =>
    link.section === 'stores' && storeId !== null ? { ...link, ...ownStore } : link,
  );
  return { main: allowed(main), more: allowed(moreSections) };
}
