import { countByStatus } from '@payments/database/payments/counts';
import { listChanges } from '@payments/database/record/changes';
import type { Store } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import { type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { statusBadge } from '../kit/parts.ts';
import { linkTo } from '../kit/tables.ts';
import { latestPayments } from '../payments/actions.ts';
import { paymentTable } from '../payments/parts.ts';
import { changeTable } from '../record/page.ts';

const latest = { page: 1, limit: 10 };

/** A store's payments by status, the latest ones, and its latest changes. */
export async function summary(context: AdministrationContext, actor: Actor, store: Store): Promise<SafeHtml> {
  const { db } = context;
  const storeId = store.id;
  const counts = await countByStatus(db, { storeId });
  const payments = await latestPayments(db, { storeId });
  const figures = paymentStatuses
    .map((status) => ({ status, total: counts[status] ?? 0 }))
    .filter(({ total, status }) => total > 0 || status === 'pending' || status === 'approved')
    .map(({ status, total }) => figure(store, status, total));
  return html`<div class="figures compact">${figures}</div>
      <section class="card flush"><h2>Últimos pagamentos</h2>${paymentTable(payments)}</section>
      ${may(actor.role, 'readStoreRecord') ? await latestChanges(context, actor, storeId) : nothing}`;
}

function figure({ id: storeId, test }: Store, status: PaymentStatus, total: number): SafeHtml {
  return html`<a class="figure" href="${linkTo('/panel/payments', { storeId, status, ...kindIn(test) })}">
          ${statusBadge(status)}<strong>${total.toLocaleString('pt-BR')}</strong></a>`;
}

async function latestChanges(
  { longReads }: AdministrationContext,
  actor: Actor,
  storeId: string,
): Promise<SafeHtml> {
  const { items } = await longReads.list(actor, (db) => listChanges(db, { storeId }, latest));
  return html`<section class="card flush"><h2>Auditoria</h2>${changeTable(items)}</section>`;
}
