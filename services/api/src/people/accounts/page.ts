import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Account, listAccounts } from '@payments/database/accounts/accounts';
import { listStores, type Store } from '@payments/database/stores/stores';
import { roleNames } from '@payments/notices/names';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import {
  attempt,
  type FieldError,
  fieldsOf,
  judgeBy,
  textOf,
  typedIn,
} from '../../administration/kit/form-values.ts';
import { postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { notice } from '../../administration/kit/notices.ts';
import { activeBadge } from '../../administration/kit/parts.ts';
import { emptyState, table } from '../../administration/kit/tables.ts';
import type { PeopleContext } from '../../context.ts';
import { time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { createAccount } from './actions.ts';
import { readNewAccount } from './fields.ts';
import { accessTabs, invitationLink, roleAlert, roleFields } from './parts.ts';
import { NewAccountBody } from './schemas.ts';

const config = { may: 'manageAccounts' } as const;
const section = 'access';
const judge = judgeBy(NewAccountBody);

type Form = { values: Record<string, string>; wrong?: FieldError };

/** The pages of people's accounts, for owners: the list, and the creation with its invitation, shown once. */
export const accountsPage: FastifyPluginAsyncTypebox<{ context: PeopleContext }> = async (
  app,
  { context },
) => {
  app.get('/accounts', { config }, async (request, reply) => {
    const [accounts, stores] = await Promise.all([listAccounts(context.db), listStores(context.db)]);
    const names = new Map(stores.map(({ id, name }) => [id, name]));
    const content = accountList(accounts, names, notice(textOf(request.query, 'done')));
    return sendPage(request, reply, { title: 'Contas', section, content: () => content });
  });

  const show = async (request: FastifyRequest, reply: FastifyReply, form: Form) => {
    const stores = await listStores(context.db);
    const content = (csrf: string) => newAccountForm(csrf, form, stores);
    return sendPage(request, reply, { title: 'Criar conta', section, content });
  };

  app.get('/accounts/new', { config }, async (request, reply) =>
    show(request, reply, { values: { role: textOf(request.query, 'role') || 'viewer' } }),
  );

  const creating = { ...config, proof: { to: 'criar a conta' } };
  app.post('/accounts', { config: creating }, async (request, reply) => {
    const storeId = textOf(request.body, 'storeId') || null;
    const { result, wrong } = await attempt(() => {
      const body = judge({ ...typedIn(request.body), storeId });
      return createAccount(context, readNewAccount(body), authorOf(request));
    });
    if (wrong) return show(request, reply.code(400), { values: typedIn(request.body), wrong });
    const content = html`<p class="back"><a href="/panel/accounts">Acessos</a></p>
      <h1>${result.name}</h1><section class="card narrow">${invitationLink(result)}</section>`;
    return sendPage(request, reply, { title: 'Convite', section, content: () => content });
  });
};

const invite = html`<a class="button primary" href="/panel/accounts/new">Criar conta</a>`;

function accountList(
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

function newAccountForm(csrf: string, { values, wrong }: Form, stores: readonly Store[]): SafeHtml {
  const at = fieldsOf({ values, wrong });
  return html`<p class="back"><a href="/panel/accounts">Acessos</a></p>
    <h1>Criar conta</h1>
    <div class="card narrow">
      ${wrong ? roleAlert(wrong) : nothing}
      ${postForm(
        { csrf, action: '/panel/accounts' },
        html`${textField({ ...at('name'), required: true, label: 'Nome', hint: 'Aparece no histórico.' })}
          ${textField({ ...at('email'), required: true, label: 'E-mail', type: 'email' })}
          ${roleFields(values, stores)}
          <div class="actions"><button class="button primary">Criar e gerar convite</button>
          <a class="button quiet" href="/panel/accounts">Cancelar</a></div>`,
      )}
    </div>`;
}
