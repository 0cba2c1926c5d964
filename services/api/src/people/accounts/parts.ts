import { type Account, hasAccounts } from '@payments/database/accounts/accounts';
import type { Store } from '@payments/database/stores/stores';
import { isStoreRole, roles } from '@payments/domain/roles';
import { choosableKinds, kindsOf } from '@payments/notices/kinds';
import { kindNames, roleNames } from '@payments/notices/names';
import type { Actor } from '../../access/actor.ts';
import type { KindInLink } from '../../administration/kit/filters.ts';
import type { FieldError } from '../../administration/kit/form-values.ts';
import { checkbox, postForm, select, shownField } from '../../administration/kit/forms.ts';
import { tabs } from '../../administration/kit/layout.ts';
import { alert, copyable } from '../../administration/kit/parts.ts';
import { linkTo } from '../../administration/kit/tables.ts';
import type { PeopleContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import type { InvitedAccount } from './actions.ts';

/** Parts of the pages of accounts and keys. */

/** The tabs of what people and programs enter with. */
export function accessTabs(current: 'accounts' | 'keys', kind: KindInLink): SafeHtml {
  const all = [
    { name: 'accounts', href: linkTo('/panel/accounts', kind), label: 'Contas' },
    { name: 'keys', href: linkTo('/panel/keys', kind), label: 'Chaves' },
  ];
  return tabs('Acessos', all, current);
}

/** The fields for the role of an account or a key, and its store. */
export function roleFields(
  values: Record<string, string>,
  stores: readonly Store[],
  wrong?: FieldError,
): SafeHtml {
  const isWrong = (name: string) => wrong?.field === name;
  const choices = roles.map((role) => ({ value: role, label: roleNames[role] }));
  const every = { value: '', label: 'Todas' };
  const ofStores = stores.map(({ id, name }) => ({ value: id, label: name }));
  return html`<div class="columns">
    ${select({ name: 'role', label: 'Perfil', value: values.role ?? 'viewer', isWrong: isWrong('role') }, choices)}
    ${select({ name: 'storeId', label: 'Loja', value: values.storeId ?? '', isWrong: isWrong('storeId') }, [every, ...ofStores])}
    </div>
    <p class="hint">Só os perfis ${roles
      .filter(isStoreRole)
      .map((role) => roleNames[role])
      .join(' e ')} têm uma loja.</p>`;
}

/** Says what is wrong with the role, its store or the whole form: there is no place for it beside a field. */
export function roleAlert(wrong: FieldError): SafeHtml {
  if (wrong.field === 'role' || wrong.field === 'shown') return alert('error', wrong.message);
  if (wrong.field !== 'storeId') return alert('error', 'Nada foi alterado. Corrija o campo indicado.');
  return alert('error', 'Escolha uma loja para um perfil de loja, e nenhuma para os outros.');
}

/** A new invitation, shown only this once. */
export function invitationLink({ id, name, invitationUrl }: InvitedAccount): SafeHtml {
  return html`<div class="secret" data-address="/panel/accounts/${id}">
    ${alert('done', html`<strong>Convite pronto.</strong> Copie agora e envie a ${name}: ele não será mostrado de novo, vale 72 horas e uma só vez.`)}
    ${copyable('Link do convite', invitationUrl)}</div>`;
}

/** Offers to make the first owner, to whoever came with `ADMIN_KEY` before there is an account. */
export async function firstOwnerOffer(
  { db }: Pick<PeopleContext, 'db'>,
  { actor }: { actor: Pick<Actor, 'kind'> },
): Promise<SafeHtml> {
  if (actor.kind !== 'admin_key' || (await hasAccounts(db))) return nothing;
  return alert(
    'warning',
    html`Ainda não há contas, e o histórico não sabe quem é quem.
      <a href="/panel/accounts/new?role=owner">Crie a primeira conta de proprietário</a>.`,
  );
}

/** The notices that a person gets by e-mail, as pages show them. */

/** @returns the texts of an account's chosen notices */
export function noticesForm(account: Account): Record<string, string> {
  const chosen = kindsOf(account);
  return Object.fromEntries(
    choosableKinds(account.role).map((kind) => [kind, chosen.includes(kind) ? 'on' : '']),
  );
}

/** The choice, on “Minha conta”. What concerns the account itself comes always, and is no choice. */
export function noticesSection(csrf: string, account: Account): SafeHtml {
  const shown = noticesForm(account);
  const boxes = choosableKinds(account.role).map((kind) =>
    checkbox({ name: kind, label: kindNames[kind], value: shown[kind] }),
  );
  const usual =
    account.notices === null
      ? nothing
      : html`<button class="button quiet" name="usual" value="true">Usar os do meu perfil</button>`;
  return html`<section class="card narrow" id="notices"><h2>Avisos por e-mail</h2>
    <p class="muted">Vão para ${account.email}. Os que são sobre a sua conta, como uma entrada de um lugar novo, vêm sempre.</p>
    ${postForm(
      { csrf, action: '/panel/my-account/notices' },
      html`${shownField(shown)}${boxes}<div class="actions"><button class="button primary">Salvar avisos</button>${usual}</div>`,
    )}</section>`;
}

/** The notices of another person, for owners. */
export function noticesOf(account: Account): SafeHtml {
  const names = kindsOf(account).map((kind) => html`<li>${kindNames[kind]}</li>`);
  return html`<section class="card narrow"><h2>Avisos por e-mail</h2>
    ${names.length === 0 ? html`<p class="muted">Nenhum.</p>` : html`<ul>${names}</ul>`}
    <p class="muted small">${account.notices === null ? 'São os do perfil.' : 'A pessoa escolheu os seus.'}</p></section>`;
}
