import { type Account, findAccount, listAccounts } from '@payments/database/accounts/accounts';
import { differences } from '@payments/database/record/changes';
import { listStores, type Store } from '@payments/database/stores/stores';
import { isId } from '@payments/domain/identifiers';
import { roleNames } from '@payments/notices/names';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorAs, authorOf, readKind } from '../../access/actor.ts';
import { type KindInLink, kindIn } from '../../administration/kit/filters.ts';
import {
  attempt,
  errorOf,
  type FieldError,
  fieldsOf,
  judgeBy,
  textOf,
  touchedIn,
  typedIn,
} from '../../administration/kit/form-values.ts';
import { confirmation, postForm, shownField, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { activeBadge, notice } from '../../administration/kit/parts.ts';
import { emptyState, table } from '../../administration/kit/tables.ts';
import type { PeoplePlugin } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { html, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { completeSignIn } from '../sign-in/known-place.ts';
import { hashPassword, newPasswordFault, newPasswordField, passwordFaults } from '../sign-in/passwords.ts';
import {
  acceptInvitation,
  changeAccount,
  createAccount,
  type InvitedAccount,
  inviteAgain,
  invitedAccount,
} from './actions.ts';
import {
  AccountChangeBody,
  accountParams,
  NewAccountBody,
  readAccountChange,
  readNewAccount,
} from './fields.ts';
import { accessTabs, invitationLink, noticesOf, roleAlert, roleFields } from './parts.ts';

const config = { may: 'manageAccounts' } as const;
const section = 'access';
const judge = judgeBy(NewAccountBody);

type Form = { values: Record<string, string>; wrong?: FieldError };

/** The pages of people's accounts, for owners: the list, and the creation with its invitation, shown once. */
export const accountsPage: PeoplePlugin = async (app, { context }) => {
  app.get('/accounts', { config: { ...config, takesKind: true } }, async (request, reply) => {
    const kind = readKind(request.actor, request.query);
    const [accounts, stores] = await Promise.all([listAccounts(context.db, kind), listStores(context.db)]);
    const names = new Map(stores.map(({ id, name }) => [id, name]));
    const content = accountList(accounts, names, {
      kind: kindIn(kind.test),
      notice: notice(textOf(request.query, 'done')),
    });
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
  { kind, notice }: { kind: KindInLink; notice: SafeHtml },
): SafeHtml {
  const columns = ['Nome', 'E-mail', 'Perfil', 'Loja', 'Status', 'Criada em'];
  const rows = accounts.map(({ id, name, email, role, storeId, active, createdAt }) => [
    html`<a class="words" href="/panel/accounts/${id}">${name}</a>`,
    html`<span class="wrap">${email}</span>`,
    html`${roleNames[role]}`,
    storeId === null
      ? html`<span class="muted">Todas</span>`
      : html`<span class="words">${stores.get(storeId) ?? storeId}</span>`,
    activeBadge(active),
    time(createdAt),
  ]);
  return html`<div class="title"><h1>Acessos</h1>${invite}</div>${accessTabs('accounts', kind)}${notice}
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
          ${roleFields(values, stores, wrong)}
          <div class="actions"><button class="button primary">Criar e gerar convite</button>
          <a class="button quiet" href="/panel/accounts">Cancelar</a></div>`,
      )}
    </div>`;
}

type OfAccount = FastifyRequest<{ Params: { id: string } }>;

/** A post adds this to the page: what was typed, if something is wrong, or a new invitation. */
type Shown = { values?: Record<string, string>; wrong?: FieldError; invited?: InvitedAccount };

const judgeChange = judgeBy(AccountChangeBody);

/** An account's page, and its forms: name, role and store, activation, a new invitation. */
export const accountPage: PeoplePlugin = async (app, { context }) => {
  const accountOf = async ({ params: { id } }: OfAccount): Promise<Account> => {
    const account = isId(id) ? await findAccount(context.db, id) : undefined;
    if (!account) throw errors.accountNotFound();
    return account;
  };
  const show = async (request: OfAccount, reply: FastifyReply, shown: Shown = {}) => {
    const [account, stores] = await Promise.all([accountOf(request), listStores(context.db)]);
    const told = notice(textOf(request.query, 'done'));
    const content = (csrf: string) => accountContent(csrf, { account, stores, notice: told, ...shown });
    return sendPage(request, reply, { title: account.name, section: 'access', content });
  };
  const change = async (
    request: OfAccount,
    reply: FastifyReply,
    changesOf: (account: Account) => Record<string, unknown>,
  ) => {
    const { actor, body } = request;
    const account = await accountOf(request);
    const { id } = account;
    const changeOf = (now: Account) => readAccountChange(judgeChange(changesOf(now)));
    const { wrong } = await attempt(() =>
      changeAccount(context, id, changeOf, { actor, by: authorOf(request) }),
    );
    if (wrong?.field === 'shown') return show(request, reply.code(409), { wrong });
    if (wrong) return show(request, reply.code(400), { values: touchedIn(body, formOf(account)), wrong });
    return reply.redirect(`/panel/accounts/${id}?done=account-saved`, 303);
  };

  const schema = { params: accountParams };
  const may = 'manageAccounts' as const;
  app.get('/accounts/:id', { schema, config: { may } }, async (request, reply) => show(request, reply));

  const changing = { schema, config: { may, proof: { to: 'mudar a conta' } } };
  app.post('/accounts/:id', changing, async (request, reply) =>
    change(request, reply, (account) => changedFields(request.body, account)),
  );

  app.post('/accounts/:id/active', changing, async (request, reply) =>
    change(request, reply, () => ({ active: textOf(request.body, 'active') === 'true' })),
  );

  const inviting = { schema, config: { may, proof: { to: 'gerar o convite' } } };
  app.post('/accounts/:id/invitation', inviting, async (request, reply) => {
    const { id } = await accountOf(request);
    return show(request, reply, { invited: await inviteAgain(context, id, authorOf(request)) });
  });
};

type AccountPage = Shown & { account: Account; stores: readonly Store[]; notice: SafeHtml };

function accountContent(csrf: string, shown: AccountPage): SafeHtml {
  const { account, wrong, invited } = shown;
  return html`<p class="back"><a href="/panel/accounts">Acessos</a></p>
    <h1>${account.name} ${activeBadge(account.active)}</h1>
    <p class="muted">${account.email}</p>${shown.notice}
    ${wrong ? roleAlert(wrong) : nothing}
    ${invited ? html`<section class="card narrow">${invitationLink(invited)}</section>` : nothing}
    ${fieldsSection(csrf, shown)}${noticesOf(account)}${invitationSection(csrf, account)}${activeSection(csrf, account)}`;
}

/** @returns an account's values for its form */
function formOf({ name, role, storeId }: Account): Record<string, string> {
  return { name, role, storeId: storeId ?? '' };
}

/** A role means something only together with its store. */
const fieldGroups = [['role', 'storeId']];

/** @returns the fields that the form changes of the account as it is now @throws ApiError 409 for an outdated form */
function changedFields(form: unknown, account: Account): Record<string, unknown> {
  const { name, role, storeId } = touchedIn(form, formOf(account), fieldGroups);
  const before: Record<string, unknown> = account;
  return differences(before, { ...before, name, role, storeId: storeId || null }).to;
}

function fieldsSection(csrf: string, { account, stores, values, wrong }: AccountPage): SafeHtml {
  const { id } = account;
  const shown = { ...formOf(account), ...values };
  const error = errorOf(wrong, 'name');
  return html`<section class="card narrow"><h2>Nome e perfil</h2>
    <p class="muted">Outro perfil ou outra loja encerra as sessões da pessoa.</p>
    ${postForm(
      { csrf, action: `/panel/accounts/${id}` },
      html`${shownField(formOf(account))}${textField({ name: 'name', label: 'Nome', value: shown.name, error, required: true })}
        ${roleFields(shown, stores, wrong)}<button class="button primary">Salvar</button>`,
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

type OfInvitation = FastifyRequest<{ Params: { token: string } }>;

/** The page of a link, invitation or not, where a person sets the password. It is used once. */
export const invitationPage: PeoplePlugin = async (app, { context }) => {
  const schema = { params: Type.Object({ token: Type.String() }) };

  app.get('/invitation/:token', { schema }, async (request, reply) =>
    show(request, reply, await invitedAccount(context, request.params.token)),
  );

  const accepting = { schema, preHandler: app.csrfProtection };
  app.post('/invitation/:token', accepting, async (request, reply) => {
    const { token } = request.params;
    const account = await invitedAccount(context, token);
    const given = textOf(request.body, 'password');
    const fault = await newPasswordFault(given, account);
    if (fault) return show(request, reply.code(400), account, passwordFaults[fault]);
    const password = await hashPassword(given, account.id);
    const by = authorAs(request, account);
    const { needsFactor } = await acceptInvitation(context, { token, password }, by);
    const judged = { id: account.id, password, totpSecret: null, hadNoPasskey: true };
    const isOpen =
      !needsFactor && (await completeSignIn(context, reply, account, { judged, isExpected: true }));
    return reply.redirect(`/panel/${isOpen ? 'my-account' : 'sign-in'}?done=password-set`, 303);
  });
};

function show(request: OfInvitation, reply: FastifyReply, account: Account, error?: string): FastifyReply {
  const { token } = request.params;
  const content = (csrf: string) => invitationContent(csrf, { account, token, error });
  return sendPage(request, reply, { title: 'Convite', content });
}

type Invited = { account: Account; token: string; error: string | undefined };

function invitationContent(csrf: string, { account, token, error }: Invited): SafeHtml {
  return html`<section class="sign-in card">
    <h1>Defina a sua senha</h1>
    <p>Olá, ${account.name}. Você vai entrar com o e-mail <strong>${account.email}</strong>.</p>
    ${postForm(
      { csrf, action: `/panel/invitation/${token}` },
      html`<input type="hidden" name="username" autocomplete="username" value="${account.email}">
        ${newPasswordField('Senha', error)}
        <button class="button primary wide">Definir senha e entrar</button>`,
    )}
    <p class="muted small">Uma frase é fácil de lembrar e difícil de adivinhar.</p>
  </section>`;
}
