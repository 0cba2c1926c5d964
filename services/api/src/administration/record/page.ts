import { listChanges } from '@payments/database/record/changes';
import { readKind } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { html } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { sendPage } from '../kit/layout.ts';
import { pageIn, pagination } from '../kit/tables.ts';
import { changeTable } from './names.ts';

/** The page of administrators' changes, newest first. */
export const changesPage: AdministrationPlugin = async (app, { context }) => {
  app.get('/changes', { config: { may: 'readRecord', takesKind: true } }, async (request, reply) => {
    const page = pageIn(request.query);
    const kind = readKind(request.actor, request.query);
    const { items, total } = await listChanges(context.db, kind, page);
    const content = html`<h1>Auditoria</h1>
      <div class="card flush">${changeTable(items)}</div>
      ${pagination({ ...page, total }, '/panel/changes', kindIn(kind.test))}`;
    return sendPage(request, reply, { title: 'Auditoria', section: 'changes', content: () => content });
  });
};
