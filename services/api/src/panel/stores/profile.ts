import { findStore, type Store } from '@payments/database/stores/stores';
import { isId } from '@payments/domain/identifiers';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { html, nothing, type SafeHtml } from '../../html.ts';
import { activeBadge } from '../page/badge.ts';
import { copyable } from '../page/copy.ts';

export type Tab = 'summary' | 'store' | 'statement';

/** @throws ApiError 404 for an unknown store */
export async function storeOr404({ db }: Pick<ApiContext, 'db'>, id: string): Promise<Store> {
  const store = isId(id) ? await findStore(db, id) : undefined;
  if (!store) throw errors.storeNotFound();
  return store;
}

/** The frame of a store's profile: its name, its tabs and the current tab. */
export function profile(store: Store, current: Tab | undefined, content: SafeHtml): SafeHtml {
  const path = `/panel/stores/${store.id}`;
  const tab = (name: Tab, href: string, label: string) =>
    html`<li><a href="${href}"${name === current ? html` aria-current="page"` : nothing}>${label}</a></li>`;
  return html`<p class="back"><a href="/panel/stores">Lojas</a></p>
    <div class="title"><h1>${store.name} ${activeBadge(store.active)}</h1>
      <a class="button primary" href="${path}/payments/new">Criar pagamento</a></div>
    ${copyable('Identificador da loja', store.id)}
    <nav class="tabs" aria-label="Perfil da loja"><ul>
      ${tab('summary', path, 'Perfil')}
      ${tab('store', `${path}/store`, 'Loja')}
      ${tab('statement', `${path}/statement`, 'Extrato')}
      <li><a href="/panel/payments?storeId=${store.id}">Pagamentos</a></li>
      <li><a href="/panel/deliveries?storeId=${store.id}">Entregas</a></li>
    </ul></nav>
    ${content}`;
}
