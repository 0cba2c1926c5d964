import type { Account } from '@payments/database/people/accounts';
import type { Store } from '@payments/database/stores/stores';
import { activeBadge } from '../../administration/kit/badge.ts';
import { textField } from '../../administration/kit/fields.ts';
import { confirmation, postForm } from '../../administration/kit/forms.ts';
import { errorOf, type FieldError } from '../../administration/kit/judge.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { invitationLink } from './invitation-link.ts';
import type { InvitedAccount } from './invite.ts';
import { roleAlert, roleFields } from './role-inputs.ts';

export type AccountPage = {
  account: Account;
  stores: readonly Store[];
  notice: SafeHtml;
  /** What was typed, if something is wrong. */
  values?: Record<string, string>;
  wrong?: FieldError;
  invited?: InvitedAccount;
};

/** An account's page, for owners. */
export function accountPage(csrf: string, page: AccountPage): SafeHtml {
  const { account, notice, wrong, invited } = page;
  return html`<p class="back"><a href="/panel/accounts">Acessos</a></p>
    <h1>${account.name} ${activeBadge(account.active)}</h1>
    <p class="muted">${account.email}</p>${notice}
    ${wrong ? roleAlert(wrong) : nothing}
    ${invited ? html`<section class="card narrow">${invitationLink(invited)}</section>` : nothing}
    ${fieldsSection(csrf, page)}${invitationSection(csrf, account)}${activeSection(csrf, account)}`;
}

function fieldsSection(csrf: string, { account, stores, values, wrong }: AccountPage): SafeHtml {
  const { id, name, role, storeId } = account;
  const shown = { name, role, storeId: storeId ?? '', ...values };
  const error = errorOf(wrong, 'name');
  return html`<section class="card narrow"><h2>Nome e perfil</h2>
    <p class="muted">Outro perfil ou outra loja encerra as sessões da pessoa.</p>
    ${postForm(
      { csrf, action: `/panel/accounts/${id}` },
      html`${textField({ name: 'name', label: 'Nome', value: shown.name, error, required: true })}
        ${roleFields(shown, stores)}<button class="button primary">Salvar</button>`,
    )}</section>`;
}

function invitationSection(csrf: string, { id }: Account): SafeHtml {
  return html`<section class="card narrow"><h2>Convite</h2>
    <p class="muted">Para quem perdeu o link, a senha ou o segundo fator.</p>
    ${confirmation({
      csrf,
      action: `/panel/accounts/${id}/invitation`,
      id: 'invite',
      label: 'Gerar novo convite',
      warning:
        'O convite anterior deixa de valer. Ao usar o novo, a pessoa define outra senha, o segundo fator e as chaves de acesso são removidos, e as sessões dela são encerradas.',
      confirm: 'Gerar convite',
    })}</section>`;
}

function activeSection(csrf: string, { id, active }: Account): SafeHtml {
  const action = `/panel/accounts/${id}/active`;
  const value = html`<input type="hidden" name="active" value="${active ? 'false' : 'true'}">`;
  if (!active)
    return html`<section class="card narrow"><h2>Situação</h2>
      ${postForm({ csrf, action }, html`${value}<button class="button primary">Ativar conta</button>`)}</section>`;
  const question = {
    csrf,
    action,
    id: 'deactivate',
    label: 'Desativar conta',
    warning: 'A pessoa não entra mais, e as sessões dela são encerradas agora.',
    confirm: 'Desativar conta',
  };
  return html`<section class="card narrow"><h2>Situação</h2>${confirmation(question, value)}</section>`;
}
