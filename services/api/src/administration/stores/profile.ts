import type { Store } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { tabs } from '../kit/layout.ts';
import { activeBadge, copyable } from '../kit/parts.ts';

export type Tab = 'summary' | 'store' | 'statement' | 'changes';

type Frame = { actor: Actor; current: Tab };

/** The frame of a store's profile: its name, its tabs and the current tab. */
export function profile(store: Store, { actor, current }: Frame, content: SafeHtml): SafeHtml {
  const isPlatform = actor.storeId === null;
  const path = `/panel/stores/${store.id}`;
  const all = [
    { name: 'summary', href: path, label: 'Perfil' },
    { name: 'store', href: `${path}/store`, label: 'Loja' },
    { name: 'statement', href: `${path}/statement`, label: 'Extrato' },
    ...(may(actor.role, 'readStoreRecord')
      ? [{ name: 'changes', href: `${path}/changes`, label: 'Auditoria' }]
      : []),
    ...(isPlatform ? lists(store) : []),
  ];
  return html`${isPlatform ? html`<p class="back"><a href="/panel/stores">Lojas</a></p>` : nothing}
    <div class="title"><h1><span class="wrap">${store.name}</span> ${activeBadge(store.active)}</h1>
      ${may(actor.role, 'createPayment') ? html`<a class="button primary" href="${path}/payments/new">Criar pagamento</a>` : nothing}</div>
    ${copyable('Identificador da loja', store.id)}
    ${tabs('Perfil da loja', all, current)}
    ${content}`;
}

/** The lists of every store, with this one chosen. */
const lists = ({ id }: Store) => [
  { name: 'payments', href: `/panel/payments?storeId=${id}`, label: 'Pagamentos' },
  { name: 'deliveries', href: `/panel/deliveries?storeId=${id}`, label: 'Entregas' },
];
