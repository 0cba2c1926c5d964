import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Account, findAccount } from '@payments/database/accounts/accounts';
import { listStores, type Store } from '@payments/database/stores/stores';
import { isId } from '@payments/domain/identifiers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import {
  attempt,
  errorOf,
  type FieldError,
  judgeBy,
  textOf,
  typedIn,
} from '../../administration/kit/form-values.ts';
import { confirmation, postForm, textField } from '../../administration/kit/forms.ts';
import { sendPage } from '../../administration/kit/layout.ts';
import { notice } from '../../administration/kit/notices.ts';
import { activeBadge } from '../../administration/kit/parts.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { noticesOf } from '../mails/parts.ts';
import { changeAccount, type InvitedAccount, inviteAgain } from './actions.ts';
import { readAccountChange } from './fields.ts';
import { invitationLink, roleAlert, roleFields } from './parts.ts';
import { AccountChangeBody, accountParams } from './schemas.ts';

type Request = FastifyRequest<{ Params: { id: string } }>;

/** A post adds this to the page: what was typed, if something is wrong, or a new invitation. */
type Shown = { values?: Record<string, string>; wrong?: FieldError; invited?: InvitedAccount };

const judge = judgeBy(AccountChangeBody);

/** An account's page, and its forms: name, role and store, activation, a new invitation. */
export const accountPage: FastifyPluginAsyncTypebox<{ context: PeopleContext }> = async (
  app,
  { context },
) => {
  const accountOf = async ({ params: { id } }: Request): Promise<Account> => {
    const account = isId(id) ? await findAccount(context.db, id) : undefined;
    if (!account) throw errors.accountNotFound();
    return account;
  };
  const show = async (request: Request, reply: FastifyReply, shown: Shown = {}) => {
    const [account, stores] = await Promise.all([accountOf(request), listStores(context.db)]);
    const told = notice(textOf(request.query, 'done'));
    const content = (csrf: string) => page(csrf, { account, stores, notice: told, ...shown });
    return sendPage(request, reply, { title: account.name, section: 'access', content });
  };
  const change = async (request: Request, reply: FastifyReply, fields: Record<string, unknown>) => {
    const { id } = await accountOf(request);
    const { wrong } = await attempt(() =>
      changeAccount(context, id, readAccountChange(judge(fields)), {
        actor: request.actor,
        by: authorOf(request),
      }),
    );
    if (wrong) return show(request, reply.code(400), { values: typedIn(request.body), wrong });
    return reply.redirect(`/panel/accounts/${id}?done=account-saved`, 303);
  };

  const schema = { params: accountParams };
  const may = 'manageAccounts' as const;
  app.get('/accounts/:id', { schema, config: { may } }, async (request, reply) => show(request, reply));

  const changing = { schema, config: { may, proof: { to: 'mudar a conta' } } };
  app.post('/accounts/:id', changing, async (request, reply) => {
    const { name, role } = typedIn(request.body);
    return change(request, reply, { name, role, storeId: textOf(request.body, 'storeId') || null });
  });

  app.post('/accounts/:id/active', changing, async (request, reply) =>
    change(request, reply, { active: textOf(request.body, 'active') === 'true' }),
  );

  const inviting = { schema, config: { may, proof: { to: 'gerar o convite' } } };
  app.post('/accounts/:id/invitation', inviting, async (request, reply) => {
    const { id } = await accountOf(request);
    return show(request, reply, { invited: await inviteAgain(context, id, authorOf(request)) });
  });
};

type AccountPage = Shown & { account: Account; stores: readonly Store[]; notice: SafeHtml };

function page(csrf: string, shown: AccountPage): SafeHtml {
  const { account, wrong, invited } = shown;
  return html`<p class="back"><a href="/panel/accounts">Acessos</a></p>
    <h1>${account.name} ${activeBadge(account.active)}</h1>
    <p class="muted">${account.email}</p>${shown.notice}
    ${wrong ? roleAlert(wrong) : nothing}
    ${invited ? html`<section class="card narrow">${invitationLink(invited)}</section>` : nothing}
    ${fieldsSection(csrf, shown)}${noticesOf(account)}${invitationSection(csrf, account)}${activeSection(csrf, account)}`;
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
