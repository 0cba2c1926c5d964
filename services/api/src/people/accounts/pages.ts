import { listAccounts } from '@payments/database/people/accounts';
import { listStores } from '@payments/database/stores/stores';
import type { FastifyInstance } from 'fastify';
import { notice } from '../../administration/kit/notices.ts';
import { sendPage } from '../../administration/kit/send-page.ts';
import type { PeopleContext } from '../../context.ts';
import { accountPages } from './account-pages.ts';
import { accountListPage } from './list-page.ts';
import { newAccountPages } from './new-account-pages.ts';

/** The pages of people's accounts, for owners. */
export function accountsPages(app: FastifyInstance, context: PeopleContext): void {
  const config = { may: 'manageAccounts' } as const;
  app.get<{ Querystring: { done?: unknown } }>('/accounts', { config }, async (request, reply) => {
    const [accounts, stores] = await Promise.all([listAccounts(context.db), listStores(context.db)]);
    const names = new Map(stores.map(({ id, name }) => [id, name]));
    const content = accountListPage(accounts, names, notice(request.query.done));
    return sendPage(request, reply, { title: 'Contas', section: 'access', content: () => content });
  });
  newAccountPages(app, context);
  accountPages(app, context);
}
