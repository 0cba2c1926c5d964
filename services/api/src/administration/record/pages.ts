import { listChanges } from '@payments/database/record/changes';
import type { FastifyInstance } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { html } from '../../pages/html.ts';
import { pageIn, pagination } from '../kit/pagination.ts';
import { sendPage } from '../kit/send-page.ts';
import { changeTable } from './change-table.ts';

/** The page of administrators' changes, newest first. */
export function changePages(app: FastifyInstance, context: AdministrationContext): void {
  app.get<{ Querystring: { page?: unknown } }>(
    '/changes',
    { config: { may: 'readRecord' } },
    async (request, reply) => {
      const page = pageIn(request.query);
      const { items, total } = await listChanges(context.db, {}, page);
      const content = html`<h1>Auditoria</h1>
      <div class="card flush">${changeTable(items)}</div>
      ${pagination({ ...page, total }, '/panel/changes')}`;
      return sendPage(request, reply, { title: 'Auditoria', section: 'changes', content: () => content });
    },
  );
}
