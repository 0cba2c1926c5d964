import type { Account } from '@payments/database/people/accounts';
import { activeBadge } from '../../administration/kit/badge.ts';
import { roleNames } from '../../administration/kit/role-names.ts';
import { emptyState, table } from '../../administration/kit/table.ts';
import { tabs } from '../../administration/kit/tabs.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import { time } from '../../pages/time.ts';

/** The tabs of what people and programs enter with. */
export function accessTabs(current: 'accounts' | 'keys'): SafeHtml {
  const all = [
    { name: 'accounts', href: '/panel/accounts', label: 'Contas' },
    { name: 'keys', href: '/panel/keys', label: 'Chaves' },
  ];
  return tabs('Acessos', all, current);
}

const invite = html`<a class="button primary" href="/panel/accounts/new">Criar conta</a>`;

export function accountListPage(
  accounts: readonly Account[],
  stores: ReadonlyMap<string, string>,
  notice: SafeHtml,
): SafeHtml {
  const columns = ['Nome', 'E-mail', 'Perfil', 'Loja', 'Status', 'Criada em'];
  const rows = accounts.map(({ id, name, email, role, storeId, active, createdAt }) => [
    html`<a href="/panel/accounts/${id}">${name}</a>`,
    html`<span class="wrap">${email}</span>`,
    html`${roleNames[role]}`,
    storeId === null ? html`<span class="muted">Todas</span>` : html`${stores.get(storeId) ?? storeId}`,
    activeBadge(active),
    time(createdAt),
  ]);
  return html`<div class="title"><h1>Acessos</h1>${invite}</div>${accessTabs('accounts')}${notice}
    ${
      accounts.length === 0
        ? emptyState(
            'Nenhuma conta ainda',
            'Cada pessoa entra com a sua, e o histórico diz quem foi.',
            invite,
          )
        : html`<div class="card flush">${table('Contas', columns, rows)}</div>`
    }`;
}
