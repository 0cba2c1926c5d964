import { listChanges } from '@payments/database/record/changes';
import type { FastifyInstance } from 'fastify';
import { storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { html } from '../../pages/html.ts';
import { sendPage } from '../kit/layout.ts';
import { pageIn, pagination } from '../kit/tables.ts';
import { changeTable } from '../record/parts.ts';
import { profile } from './profile.ts';

/** The record of a store, newest first. */
export function storeChangesPage(app: FastifyInstance, context: AdministrationContext): void {
  type Request = { Params: { id: string }; Querystring: { page?: unknown } };
  const reading = { config: { may: 'readStoreRecord' as const } };
  app.get<Request>('/stores/:id/changes', reading, async (request, reply) => {
    const { actor } = request;
    const store = await storeOr404(context, actor, request.params.id);
    const page = pageIn(request.query);
    const { items, total } = await listChanges(context.db, { storeId: store.id }, page);
    const path = `/panel/stores/${store.id}/changes`;
    const content = html`<div class="card flush">${changeTable(items)}</div>
      ${pagination({ ...page, total }, path)}`;
    return sendPage(request, reply, {
      title: `${store.name}: auditoria`,
      section: 'stores',
      content: () => profile(store, { actor, current: 'changes' }, content),
    });
  });
}
