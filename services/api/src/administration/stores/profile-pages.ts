import { countByStatus } from '@payments/database/payments/counts';
import { listPayments } from '@payments/database/payments/list';
import { listChanges } from '@payments/database/record/changes';
import { may } from '@payments/domain/roles';
import { paymentStatuses } from '@payments/domain/status';
import type { FastifyInstance } from 'fastify';
import { storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { sendPage } from '../kit/layout.ts';
import { statusBadge } from '../kit/parts.ts';
import { paymentTable } from '../payments/parts.ts';
import { changeTable } from '../record/parts.ts';
import { profile } from './profile.ts';

const latest = { page: 1, limit: 10 };

/** A store's profile: its payments by status, and the latest ones. */
export function storeProfilePages(app: FastifyInstance, context: AdministrationContext): void {
  const { db } = context;
  type Request = { Params: { id: string } };
  app.get<Request>('/stores/:id', { config: { may: 'readStores' } }, async (request, reply) => {
    const { actor } = request;
    const store = await storeOr404(context, actor, request.params.id);
    const storeId = store.id;
    const counts = await countByStatus(db, storeId);
    const { items } = await listPayments(db, { storeId }, latest);
    const figures = paymentStatuses
      .map((status) => ({ status, total: counts[status] ?? 0 }))
      .filter(({ total, status }) => total > 0 || status === 'pending' || status === 'approved')
      .map(
        ({
          status,
          total,
        }) => html`<a class="figure" href="/panel/payments?storeId=${storeId}&amp;status=${status}">
          ${statusBadge(status)}<strong>${total.toLocaleString('pt-BR')}</strong></a>`,
      );
    const content = html`<div class="figures compact">${figures}</div>
      <section class="card flush"><h2>Últimos pagamentos</h2>${paymentTable(items)}</section>
      ${may(actor.role, 'readStoreRecord') ? await latestChanges(context, storeId) : nothing}`;
    return sendPage(request, reply, {
      title: store.name,
      section: 'stores',
      content: () => profile(store, { actor, current: 'summary' }, content),
    });
  });
}

async function latestChanges({ db }: AdministrationContext, storeId: string): Promise<SafeHtml> {
  const { items } = await listChanges(db, { storeId }, latest);
  return html`<section class="card flush"><h2>Auditoria</h2>${changeTable(items)}</section>`;
}
