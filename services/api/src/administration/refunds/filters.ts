import type { Store } from '@payments/database/stores/stores';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { bankSelect, dayFields, storeSelect } from '../kit/filters.ts';
import { linkTo } from '../kit/pagination.ts';
import { tabs } from '../kit/tabs.ts';

export const path = '/panel/refunds';
export const filterNames = ['show', 'storeId', 'bank', 'from', 'to'] as const;
export type Filters = Record<(typeof filterNames)[number], string>;

const views = [
  { name: '', label: 'Em aberto', filter: {} },
  { name: 'owed', label: 'Só as devidas', filter: { isOwed: true } },
  { name: 'bank', label: 'Iniciadas pelo banco (MED)', filter: { isOfBank: true } },
  { name: 'made', label: 'Feitas', filter: {} },
] as const;

/** @returns the filter of the chosen view; the first view for an unknown one */
export function viewOf({ show }: { show: string }) {
  return views.find(({ name }) => name === show) ?? views[0];
}

/** The views, with the other filters kept. */
export function viewTabs(filters: Filters): SafeHtml {
  const links = views.map(({ name, label }) => ({
    href: linkTo(path, { ...filters, show: name }),
    label,
    name,
  }));
  return tabs('Devoluções', links, viewOf(filters).name);
}

type Choices = { stores: readonly Store[]; banks: AdministrationContext['banks'] };

export function filterForm(actor: Actor, filters: Filters, { stores, banks }: Choices): SafeHtml {
  return html`<form class="filters card" method="get" action="${path}">
    <input type="hidden" name="show" value="${viewOf(filters).name}">
    ${storeSelect(filters.storeId, stores, actor)}
    ${bankSelect(filters.bank, banks, actor)}
    ${dayFields(filters)}
    <button class="button primary">Filtrar</button>
  </form>`;
}

/** What is filtered, counted and summed. */
export function summary(total: number, sum: number): SafeHtml {
  const noun = total === 1 ? 'devolução' : 'devoluções';
  return html`<p>${total.toLocaleString('pt-BR')} ${noun}, no total de <strong>${money(sum)}</strong>.</p>`;
}
