import { type Account, findAccount } from '@payments/database/people/accounts';
import { listStores } from '@payments/database/stores/stores';
import { isId } from '@payments/domain/identifiers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { textOf, typedIn } from '../../administration/kit/form-values.ts';
import { attempt, type FieldError, judgeBy } from '../../administration/kit/judge.ts';
import { notice } from '../../administration/kit/notices.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { accountPage } from './account-page.ts';
import { changeAccount } from './change-account.ts';
import { type InvitedAccount, inviteAgain } from './invite.ts';
import { readAccountChange } from './person-fields.ts';
import { AccountChangeBody } from './schemas.ts';

const config = { may: 'manageAccounts' } as const;

type Request = FastifyRequest<{ Params: { id: string }; Querystring: { done?: unknown } }>;
type Shown = { values?: Record<string, string>; wrong?: FieldError; invited?: InvitedAccount };

/** An account's page, and its forms: name, role and store, activation, a new invitation. */
export function accountPages(app: FastifyInstance, context: PeopleContext): void {
  const judge = judgeBy(AccountChangeBody);
  const accountOf = async ({ params: { id } }: Request): Promise<Account> => {
    const account = isId(id) ? await findAccount(context.db, id) : undefined;
    if (!account) throw errors.accountNotFound();
    return account;
  };
  const show = async (request: Request, reply: FastifyReply, shown: Shown = {}) => {
    const [account, stores] = await Promise.all([accountOf(request), listStores(context.db)]);
    const told = notice(request.query.done);
    const content = (csrf: string) => accountPage(csrf, { account, stores, notice: told, ...shown });
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

  app.get('/accounts/:id', { config }, async (request: Request, reply) => show(request, reply));

  const changing = { ...config, proof: { to: 'mudar a conta' } };
  app.post('/accounts/:id', { config: changing }, async (request: Request, reply) => {
    const { name, role } = typedIn(request.body);
    return change(request, reply, { name, role, storeId: textOf(request.body, 'storeId') || null });
  });

  app.post('/accounts/:id/active', { config: changing }, async (request: Request, reply) =>
    change(request, reply, { active: textOf(request.body, 'active') === 'true' }),
  );

  const inviting = { ...config, proof: { to: 'gerar o convite' } };
  app.post('/accounts/:id/invitation', { config: inviting }, async (request: Request, reply) => {
    const { id } = await accountOf(request);
    return show(request, reply, { invited: await inviteAgain(context, id, authorOf(request)) });
  });
}
