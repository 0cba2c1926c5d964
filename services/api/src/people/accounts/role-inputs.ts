import type { Store } from '@payments/database/stores/stores';
import { isStoreRole, roles } from '@payments/domain/roles';
import { alert } from '../../administration/kit/alert.ts';
import { select } from '../../administration/kit/fields.ts';
import type { FieldError } from '../../administration/kit/judge.ts';
import { roleNames } from '../../administration/kit/role-names.ts';
import { html, type SafeHtml } from '../../pages/html.ts';

/** The fields for the role of an account or a key, and its store. */
export function roleFields(values: Record<string, string>, stores: readonly Store[]): SafeHtml {
  const choices = roles.map((role) => ({ value: role, label: roleNames[role] }));
  const every = { value: '', label: 'Todas' };
  const ofStores = stores.map(({ id, name }) => ({ value: id, label: name }));
  return html`<div class="columns">
    ${select({ name: 'role', label: 'Perfil', value: values.role ?? 'viewer' }, choices)}
    ${select({ name: 'storeId', label: 'Loja', value: values.storeId ?? '' }, [every, ...ofStores])}
    </div>
    <p class="hint">Só os perfis ${roles
      .filter(isStoreRole)
      .map((role) => roleNames[role])
      .join(' e ')} têm uma loja.</p>`;
}

/** What is wrong with the role or its store: their fields have no place for it. */
export function roleAlert(wrong: FieldError): SafeHtml {
  if (wrong.field === 'role') return alert('error', wrong.message);
  if (wrong.field !== 'storeId') return alert('error', 'Nada foi alterado. Corrija o campo indicado.');
  return alert('error', 'Escolha uma loja para um perfil de loja, e nenhuma para os outros.');
}
