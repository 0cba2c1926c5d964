import type { Key } from '@payments/database/people/keys';
import type { Store } from '@payments/database/stores/stores';
import { alert } from '../../administration/kit/alert.ts';
import { badge } from '../../administration/kit/badge.ts';
import { copyable } from '../../administration/kit/copy.ts';
import { momentField, textField } from '../../administration/kit/fields.ts';
import { confirmation, postForm } from '../../administration/kit/forms.ts';
import { type FieldError, fieldsOf } from '../../administration/kit/judge.ts';
import { roleNames } from '../../administration/kit/role-names.ts';
import { emptyState, table } from '../../administration/kit/table.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { time } from '../../pages/time.ts';
import { accessTabs } from '../accounts/list-page.ts';
import { roleAlert, roleFields } from '../accounts/role-inputs.ts';
import type { IssuedKey } from './issue-key.ts';

export type KeysPage = {
  keys: readonly Key[];
  stores: readonly Store[];
  now: Date;
  notice: SafeHtml;
  values?: Record<string, string>;
  wrong?: FieldError;
  /** A new key, shown only this once. */
  issued?: IssuedKey | undefined;
};

/** The keys of programs: a new one, the list without secrets, and the form for another. */
export function keysPage(csrf: string, page: KeysPage): SafeHtml {
  return html`<h1>Acessos</h1>${accessTabs('keys')}${page.notice}
    ${page.issued ? shownOnce(page.issued) : nothing}
    <div class="card flush">${page.keys.length === 0 ? emptyState('Nenhuma chave', 'Programas usam a API de administração com uma chave própria.') : keyTable(csrf, page)}</div>
    ${newKeySection(csrf, page)}`;
}

function shownOnce({ name, key }: IssuedKey): SafeHtml {
  return html`<section class="card narrow"><div class="secret" data-address="/panel/keys">
    ${alert('done', html`<strong>Chave ${name} criada.</strong> Copie agora: ela não será mostrada de novo.`)}
    ${copyable('Chave criada', key)}</div></section>`;
}

function keyTable(csrf: string, { keys, stores, now }: KeysPage): SafeHtml {
  const names = new Map(stores.map(({ id, name }) => [id, name]));
  const columns = ['Nome', 'Perfil', 'Loja', 'Expira em', 'Último uso', 'Ação'];
  const rows = keys.map(({ id, name, role, storeId, expiresAt, lastUsedAt }) => [
    html`<span class="wrap">${name}</span>`,
    html`${roleNames[role]}`,
    storeId === null ? html`<span class="muted">Todas</span>` : html`${names.get(storeId) ?? storeId}`,
    expiry(expiresAt, now),
    time(lastUsedAt),
    confirmation({
      csrf,
      action: `/panel/keys/${id}/delete`,
      id: `delete-${id}`,
      label: 'Apagar',
      warning: 'O programa perde o acesso agora. Isto não pode ser desfeito.',
      confirm: 'Apagar chave',
    }),
  ]);
  return table('Chaves', columns, rows);
}

function expiry(expiresAt: Date | null, now: Date): SafeHtml {
  if (!expiresAt) return html`<span class="muted nowrap">Não expira</span>`;
  return expiresAt <= now ? badge('bad', 'Expirada') : time(expiresAt);
}

function newKeySection(csrf: string, { stores, values = {}, wrong }: KeysPage): SafeHtml {
  const at = fieldsOf({ values, wrong });
  return html`<section class="card narrow" id="new-key"><h2>Criar chave</h2>
    ${wrong ? roleAlert(wrong) : nothing}
    ${postForm(
      { csrf, action: '/panel/keys' },
      html`${textField({ ...at('name'), label: 'Nome do programa', required: true })}
        ${roleFields(values, stores)}
        ${momentField({ ...at('expiresAt'), label: 'Expira em', hint: 'Horário de Brasília. Em branco: não expira.' })}
        <button class="button primary">Criar chave</button>`,
    )}</section>`;
}
