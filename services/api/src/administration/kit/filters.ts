import type { Store } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { dayOfField, textOf } from './form-values.ts';
import { dayField, select } from './forms.ts';
import { linkTo } from './tables.ts';

/** @returns the filters in a page's address; an absent one is empty */
export function readFilters<Name extends string>(
  query: unknown,
  names: readonly Name[],
): Record<Name, string> {
  const read = (name: Name) =>
    name === 'from' || name === 'to' ? dayOfField(query, name) : textOf(query, name);
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
}

/** @returns only the filters that are set, for the readers of the admin API */
export function givenOf(filters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ''));
}

/** The query value that keeps a page's link among test stores; none for the others. */
export type KindInLink = { test?: string };

/** @returns what keeps a link among test stores, if `test` is true */
export function kindIn(test: boolean | undefined): KindInLink {
  return test === true ? { test: 'true' } : {};
}

/** The hidden field that keeps a form's filters among test stores. */
function kindField(test: string): SafeHtml {
  return test === '' ? nothing : html`<input type="hidden" name="test" value="${test}">`;
}

/** The first and the last day of a list. */
export function dayFields({ from, to }: { from: string; to: string }): SafeHtml {
  return html`<div class="period">${dayField({ name: 'from', label: 'De', value: from, filter: true })}
    ${dayField({ name: 'to', label: 'Até', value: to, filter: true })}</div>`;
}

/** The stores and banks that a list may be of. */
export type Choices = { stores: readonly Store[]; banks?: readonly string[] };

/** The fields that lists' filters have in common: `kind` keeps a list among test stores. */
export function commonFields(
  actor: Actor,
  filters: { test: string; storeId: string; bank?: string; from: string; to: string },
  { stores, banks }: Choices,
) {
  return {
    kind: kindField(filters.test),
    store: storeSelect(filters.storeId, stores, actor),
    bank: banks ? bankSelect(filters.bank ?? '', banks, actor) : nothing,
    days: dayFields(filters),
  };
}

/** The choice of a store; nothing for a store's own people. */
function storeSelect(value: string, stores: readonly Store[], { storeId }: Pick<Actor, 'storeId'>): SafeHtml {
  if (storeId !== null) return nothing;
  const all = { value: '', label: 'Todas as lojas' };
  const named = stores.map(({ id, name }) => ({ value: id, label: name }));
  return select({ name: 'storeId', label: 'Loja', value }, [all, ...named]);
}

/** The choice of a bank; nothing while there has been only one, and for a store's own people. */
function bankSelect(value: string, banks: readonly string[], { role }: Pick<Actor, 'role'>): SafeHtml {
  if (!may(role, 'readBanks')) return nothing;
  if (banks.length < 2) return nothing;
  const ids = banks.map((id) => ({ value: id, label: id }));
  return select({ name: 'bank', label: 'Banco', value }, [{ value: '', label: 'Todos os bancos' }, ...ids]);
}

/**
 * Links that export what is filtered, as CSV and for Excel, where the role may. The answer says whether it is a file: with
 * `download`, the browser would save the sign-in's page after the session's end, and show nobody why an export is refused.
 */
export function exportLink(
  { role }: Pick<Actor, 'role'>,
  path: string,
  filters: Record<string, string | undefined>,
): SafeHtml {
  if (!may(role, 'exportRows')) return nothing;
  const excel = linkTo(path, { ...filters, for: 'excel' });
  return html`<div class="actions no-print"><a class="button" href="${linkTo(path, filters)}">Exportar CSV</a>
    <a class="button" href="${excel}">Exportar para Excel</a></div>`;
}
