import { listChanges } from '@payments/database/operations/changes';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { readPage } from '../../field-values.ts';
import { html } from '../../html.ts';
import { textOf } from '../forms/form-values.ts';
import { linkTo, pagination } from '../page/pagination.ts';
import { sendPage } from '../page/send-page.ts';
import { changeTable } from './change-table.ts';

/** The page of administrators' changes, newest first. */
export function changePages(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Querystring: { page?: unknown } }>(
    '/changes',
    { config: { may: 'readRecord' } },
    async (request, reply) => {
      const page = readPage({ page: textOf(request.query, 'page') || undefined });
      const { items, total } = await listChanges(context.db, {}, page);
      const content = html`<h1>Auditoria</h1>
      <div class="card flush">${changeTable(items)}</div>
      ${pagination({ ...page, total }, (number) => linkTo('/panel/changes', { page: number }))}`;
      return sendPage(request, reply, { title: 'Auditoria', section: 'changes', content: () => content });
    },
  );
}
