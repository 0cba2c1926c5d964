import { type AccountWithSecrets, findAccountWithSecrets } from '@payments/database/accounts/accounts';
import { listPasskeys, type Passkey } from '@payments/database/accounts/passkeys';
import { countRecoveryCodes } from '@payments/database/accounts/second-factor';
import { type ListedSession, listSessions } from '@payments/database/accounts/sessions';
import type { Role } from '@payments/domain/roles';
import { roleNames } from '@payments/notices/names';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { browserName } from '../../access/actor.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import { confirmation, postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { alert, notice } from '../../administration/kit/parts.ts';
import { table } from '../../administration/kit/tables.ts';
import type { PeopleContext } from '../../context.ts';
import { html, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { noticesSection } from '../accounts/parts.ts';
import { sessionMoment } from '../sessions/sessions.ts';
import { newPasswordField } from '../sign-in/passwords.ts';

/** The page where people look after their own account, which each of its forms shows again. */

/** A wrong field of one of the page's forms. */
export type Wrong = {
  form: 'password' | 'second_factor' | 'passkey';
  field: 'current' | 'password';
  message: string;
};

/** Shows “Minha conta”, with what is wrong in a form. */
export async function showMyAccount(
  { db, ...context }: PeopleContext,
  request: FastifyRequest,
  reply: FastifyReply,
  wrong?: Wrong,
): Promise<FastifyReply> {
  const { id, name, role } = request.actor;
  const [account, sessions, recoveryCodes, passkeys] = await Promise.all([
    id === null ? undefined : findAccountWithSecrets(db, id),
    listSessions(db, id, sessionMoment(context)),
    id === null ? 0 : countRecoveryCodes(db, id),
    id === null ? [] : listPasskeys(db, id),
  ]);
  const said = notice(textOf(request.query, 'done'));
  const current = request.panelSession?.id ?? '';
  const shown = { account, name, role, sessions, current, recoveryCodes, passkeys };
  const isFactorMissing = request.isFactorMissing === true;
  const page = { ...shown, notice: said, isFactorMissing, wrong };
  return sendPage(request, reply, { title: 'Minha conta', content: (csrf) => myAccount(csrf, page) });
}

type MyAccount = {
  /** Undefined for the holder of `ADMIN_KEY`. */
  account: AccountWithSecrets | undefined;
  name: string;
  role: Role;
  sessions: readonly ListedSession[];
  /** The id of the session that looks at the page. */
  current: string;
  recoveryCodes: number;
  passkeys: readonly Passkey[];
  notice: SafeHtml;
  /** Whether nothing else opens until a second factor is set up. */
  isFactorMissing: boolean;
  wrong: Wrong | undefined;
};

/** The page where people look after their own account. */
function myAccount(csrf: string, page: MyAccount): SafeHtml {
  const { account, name, role, notice } = page;
  return html`<h1>Minha conta</h1>${notice}${page.isFactorMissing ? factorMissing(account !== undefined) : nothing}
    <section class="card"><h2>${name}</h2>
      ${
        account
          ? html`<p>${account.email} · ${roleNames[role]}</p>`
          : html`<p class="muted">Você entrou com a chave de administração. Para o dia a dia, use uma conta com o seu nome.</p>`
      }</section>
    ${account?.password ? html`${passwordSection(csrf, page)}${secondFactorSection(csrf, page, account)}${passkeySection(csrf, page)}` : nothing}
    ${account ? noticesSection(csrf, account) : nothing}
    ${sessionSection(csrf, page)}`;
}

function factorMissing(hasAccount: boolean): SafeHtml {
  return alert(
    'warning',
    hasAccount
      ? html`<strong>Falta o seu segundo fator.</strong> Este painel pede um: ative um aplicativo autenticador ou crie uma chave de acesso. Até lá, só esta página abre.`
      : html`<strong>Este painel pede um segundo fator</strong>, que a chave de administração não tem. Saia e entre com a sua conta.`,
  );
}

function currentPassword({ wrong }: MyAccount, form: Wrong['form'], id: string): SafeHtml {
  const isWrong = wrong?.form === form && wrong.field === 'current';
  return textField({
    name: 'current',
    id,
    label: 'Senha atual',
    type: 'password',
    autocomplete: 'current-password',
    error: isWrong ? wrong.message : undefined,
    required: true,
  });
}

function passwordSection(csrf: string, page: MyAccount): SafeHtml {
  const { wrong } = page;
  const error = wrong?.form === 'password' && wrong.field === 'password' ? wrong.message : undefined;
  return html`<section class="card narrow" id="own-password"><h2>Senha</h2>
    ${postForm(
      { csrf, action: '/panel/my-account/password' },
      html`${currentPassword(page, 'password', 'current-for-password')}${newPasswordField('Nova senha', error)}
        <button class="button primary">Trocar senha</button>`,
    )}</section>`;
}

function codesLeft(count: number): string {
  if (count === 0) return 'Não resta nenhum código de recuperação.';
  return count === 1 ? 'Resta 1 código de recuperação.' : `Restam ${count} códigos de recuperação.`;
}

function secondFactorSection(csrf: string, page: MyAccount, { totpSecret }: AccountWithSecrets): SafeHtml {
  const current = currentPassword(page, 'second_factor', 'current-for-second-factor');
  const off = {
    csrf,
    action: '/panel/my-account/second-factor/off',
    id: 'second-factor-off',
    label: 'Desativar',
    warning: 'Depois disto, só a senha protege a sua conta.',
    confirm: 'Desativar segundo fator',
    open: page.wrong?.form === 'second_factor',
  };
  return html`<section class="card narrow" id="second-factor"><h2>Segundo fator</h2>
    ${
      totpSecret
        ? html`<p>Ativado. ${codesLeft(page.recoveryCodes)}</p>${confirmation(off, current)}`
        : html`<p class="muted">Com um aplicativo autenticador, a senha sozinha não abre a sua conta.</p>
          ${postForm({ csrf, action: '/panel/my-account/second-factor' }, html`${current}<button class="button primary">Ativar segundo fator</button>`)}`
    }</section>`;
}

function passkeySection(csrf: string, page: MyAccount): SafeHtml {
  const action = '/panel/my-account/passkeys';
  const columns = ['Criada em', 'Onde', 'Último uso', 'Ação'];
  const rows = page.passkeys.map(({ id, name, createdAt, lastUsedAt }) => [
    time(createdAt),
    html`${name}`,
    time(lastUsedAt),
    postForm({ csrf, action: `${action}/${id}/remove` }, html`<button class="button small">Remover</button>`),
  ]);
  const current = currentPassword(page, 'passkey', 'current-for-passkey');
  return html`<section class="card narrow" id="passkeys"><h2>Chaves de acesso</h2>
    <p class="muted">Você entra sem senha: o seu dispositivo confere o PIN, a digital ou o rosto. Com uma chave de acesso, a senha sozinha não abre mais a sua conta.</p>
    ${rows.length > 0 ? html`<div class="inset">${table('Chaves de acesso', columns, rows)}</div>` : nothing}
    ${postForm({ csrf, action }, html`${current}<button class="button primary">Criar chave de acesso</button>`)}</section>`;
}

function sessionSection(csrf: string, { sessions, current }: MyAccount): SafeHtml {
  const columns = ['Navegador', 'Endereço', 'Desde', 'Último uso', 'Ação'];
  const end = (id: string) =>
    postForm(
      { csrf, action: `/panel/my-account/sessions/${id}/end` },
      html`<button class="button small">Encerrar</button>`,
    );
  const rows = sessions.map(({ id, browser, address, createdAt, lastUsedAt }) => [
    html`${browserName(browser)}`,
    html`${address}`,
    time(createdAt),
    time(lastUsedAt),
    id === current ? html`<span class="muted">Esta sessão</span>` : end(id),
  ]);
  return html`<section class="card" id="sessions"><h2>Sessões</h2>
    <div class="inset">${table('Sessões abertas', columns, rows)}</div>
    ${sessions.length > 1 ? postForm({ csrf, action: '/panel/my-account/sessions/end-others' }, html`<button class="button">Encerrar todas as outras</button>`) : nothing}
  </section>`;
}
