import { findStore, type Store } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import type { Actor } from '../../authentication/actor.ts';
import { ownStore } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { html, nothing, type SafeHtml } from '../../html.ts';
import { activeBadge } from '../page/badge.ts';
import { copyable } from '../page/copy.ts';

export type Tab = 'summary' | 'store' | 'statement' | 'changes';

/** @throws ApiError 404 for an unknown store, and for another than the actor's own */
export async function storeOr404(
  { db }: Pick<ApiContext, 'db'>,
  actor: Pick<Actor, 'storeId'>,
  id: string,
): Promise<Store> {
  const store = await findStore(db, ownStore(actor, id));
  if (!store) throw errors.storeNotFound();
  return store;
}

type Frame = { actor: Actor; current: Tab };

/** The frame of a store's profile: its name, its tabs and the current tab. */
export function profile(store: Store, { actor, current }: Frame, content: SafeHtml): SafeHtml {
  const isPlatform = actor.storeId === null;
  const path = `/panel/stores/${store.id}`;
  const tab = (name: Tab, href: string, label: string) =>
    html`<li><a href="${href}"${name === current ? html` aria-current="page"` : nothing}>${label}</a></li>`;
  return html`${isPlatform ? html`<p class="back"><a href="/panel/stores">Lojas</a></p>` : nothing}
    <div class="title"><h1><span class="wrap">${store.name}</span> ${activeBadge(store.active)}</h1>
      ${may(actor.role, 'createPayment') ? html`<a class="button primary" href="${path}/payments/new">Criar pagamento</a>` : nothing}</div>
    ${copyable('Identificador da loja', store.id)}
    <nav class="tabs" aria-label="Perfil da loja"><ul>
      ${tab('summary', path, 'Perfil')}
      ${tab('store', `${path}/store`, 'Loja')}
      ${tab('statement', `${path}/statement`, 'Extrato')}
      ${may(actor.role, 'readStoreRecord') ? tab('changes', `${path}/changes`, 'Auditoria') : nothing}
      ${isPlatform ? lists(store) : nothing}
    </ul></nav>
    ${content}`;
}

/** The lists of every store, with this one chosen. */
function lists({ id }: Store): SafeHtml {
  return html`<li><a href="/panel/payments?storeId=${id}">Pagamentos</a></li>
    <li><a href="/panel/deliveries?storeId=${id}">Entregas</a></li>`;
}
