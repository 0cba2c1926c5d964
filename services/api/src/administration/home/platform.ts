import { type Overview, readOverview } from '@payments/database/backlog';
import { listPayments } from '@payments/database/payments/list';
import { listStores } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import { paymentStatuses } from '@payments/domain/status';
import type { FastifyRequest } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { firstOwnerOffer } from '../../people/accounts/parts.ts';
import { readBanks } from '../banks/read-banks.ts';
import { statusBadge } from '../kit/badge.ts';
import { paymentTable } from '../payments/payment-table.ts';
import { attention } from './attention.ts';
import { bankAlert } from './bank-alert.ts';

const latest = { page: 1, limit: 10 };

/** The platform's start page: what waits for a person, payments by status, and the latest payments. */
export async function platformStart(
  context: AdministrationContext,
  request: FastifyRequest,
): Promise<SafeHtml> {
  const { actor } = request;
  const { db } = context;
  const [overview, { items }, stores, banks] = await Promise.all([
    readOverview(db, context.now()),
    listPayments(db, {}, latest),
    listStores(db),
    readBanks(context),
  ]);
  const names = new Map(stores.map(({ id, name }) => [id, name]));
  return html`<h1>Início</h1>${await firstOwnerOffer(context, request)}${bankAlert(banks)}
    <section aria-labelledby="waiting"><h2 id="waiting">Precisa de atenção</h2>
      ${attention(overview, context, actor)}</section>
    <section aria-labelledby="payments"><h2 id="payments">Pagamentos</h2>
      <div class="figures compact">${byStatus(overview)}</div></section>
    <section class="card flush"><h2>Últimos pagamentos</h2>${paymentTable(items, names)}</section>
    ${may(actor.role, 'readRecord') ? html`<p><a href="/panel/changes">Auditoria: quem fez o quê</a></p>` : nothing}`;
}

function byStatus({ payments }: Overview): SafeHtml[] {
  return paymentStatuses.map(
    (status) => html`<a class="figure" href="/panel/payments?status=${status}">${statusBadge(status)}
      <strong>${(payments[status] ?? 0).toLocaleString('pt-BR')}</strong></a>`,
  );
}
