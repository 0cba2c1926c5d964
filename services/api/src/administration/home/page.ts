import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Overview, readOverview } from '@payments/database/backlog';
import { listDeliveries } from '@payments/database/deliveries/list';
import { countByStatus } from '@payments/database/payments/counts';
import { listRefundsFound, sumRefundsFound } from '@payments/database/refunds/list';
import { findStore, listStores } from '@payments/database/stores/stores';
import { readTotals } from '@payments/database/totals/totals';
import { dayOf } from '@payments/domain/days';
import { may } from '@payments/domain/roles';
import { paymentStatuses } from '@payments/domain/status';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { readKind } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { readRange } from '../../http/readers.ts';
import { formatBrl, money } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { firstOwnerOffer } from '../../people/accounts/parts.ts';
import { readBanks } from '../banks/actions.ts';
import { sendPage } from '../kit/layout.ts';
import { figure, statusBadge } from '../kit/parts.ts';
import { latestPayments } from '../payments/actions.ts';
import { paymentTable } from '../payments/parts.ts';
import { attention, bankAlert } from './attention.ts';

/** The start page, the platform's or a store's own; and the page of all that waits for a person. */
export const startPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  app.get('/', { config: { may: 'anyone', takesKind: true } }, async (request, reply) => {
    const { actor } = request;
    const { storeId } = actor;
    const content =
      storeId === null
        ? await platformStart(context, request)
        : await storeStart(context, { ...actor, storeId });
    return sendPage(request, reply, { title: 'Início', section: 'start', content: () => content });
  });

  app.get('/attention', { config: { may: 'readOverview', takesKind: true } }, async (request, reply) => {
    const kind = readKind(request.actor, request.query);
    const [overview, banks] = await Promise.all([
      readOverview(context.db, context.now(), kind.test),
      readBanks(context, kind),
    ]);
    const content = html`<h1 id="waiting">Precisa de atenção</h1>${bankAlert(banks)}
      <section aria-labelledby="waiting">${attention(overview, context, request.actor)}</section>`;
    return sendPage(request, reply, {
      title: 'Precisa de atenção',
      section: 'attention',
      content: () => content,
    });
  });
};

/** The platform's start page: what waits for a person, payments by status, and the latest payments. */
async function platformStart(context: AdministrationContext, request: FastifyRequest): Promise<SafeHtml> {
  const { actor } = request;
  const { db } = context;
  const kind = readKind(actor, request.query);
  const [overview, payments, stores, banks] = await Promise.all([
    readOverview(db, context.now(), kind.test),
    latestPayments(db, kind),
    listStores(db, kind),
    readBanks(context, kind),
  ]);
  const names = new Map(stores.map(({ id, name }) => [id, name]));
  return html`<h1>Início</h1>${await firstOwnerOffer(context, request)}${bankAlert(banks)}
    <section aria-labelledby="waiting"><h2 id="waiting">Precisa de atenção</h2>
      ${attention(overview, context, actor)}</section>
    <section aria-labelledby="payments"><h2 id="payments">Pagamentos</h2>
      <div class="figures compact">${byStatus(overview)}</div></section>
    <section class="card flush"><h2>Últimos pagamentos</h2>${paymentTable(payments, names)}</section>
    ${may(actor.role, 'readRecord') ? html`<p><a href="/panel/changes">Auditoria: quem fez o quê</a></p>` : nothing}`;
}

function byStatus({ payments }: Overview): SafeHtml[] {
  return paymentStatuses.map(
    (status) => html`<a class="figure" href="/panel/payments?status=${status}">${statusBadge(status)}
      <strong>${(payments[status] ?? 0).toLocaleString('pt-BR')}</strong></a>`,
  );
}

const onlyTotal = { page: 1, limit: 1 };

type Member = Actor & { storeId: string };

/** A store's start page: its sales, what waits or failed, and its latest payments. */
async function storeStart(context: AdministrationContext, { role, storeId }: Member): Promise<SafeHtml> {
  const { db } = context;
  const [store, sales, open, payments] = await Promise.all([
    findStore(db, storeId),
    readSales(context, storeId),
    readOpen(context, storeId),
    latestPayments(db, { storeId }),
  ]);
  const create = html`<a class="button primary" href="/panel/stores/${storeId}/payments/new">Criar pagamento</a>`;
  return html`<div class="title"><h1><span class="wrap">${store?.name}</span></h1>${may(role, 'createPayment') ? create : nothing}</div>
    <section aria-labelledby="sales"><h2 id="sales">Vendas</h2><div class="figures">${salesFigures(sales)}</div></section>
    <section aria-labelledby="waiting"><h2 id="waiting">Pendências e falhas</h2>
      <div class="figures">${openFigures(open)}</div></section>
    <section class="card flush"><h2>Últimos pagamentos</h2>${paymentTable(payments)}</section>`;
}

type Sales = { today: string; amountToday: number; countToday: number; amount: number; count: number };

/** Sums today and this month from the kept totals; amounts in centavos. */
async function readSales({ db, now }: AdministrationContext, storeId: string): Promise<Sales> {
  const today = dayOf(now());
  const range = readRange({ from: `${today.slice(0, 8)}01`, to: today });
  const days = await readTotals(db, { ...range, by: 'day', storeId });
  const ofToday = days.find(({ key }) => key === today);
  return {
    today,
    amountToday: ofToday?.approvedAmount ?? 0,
    countToday: ofToday?.approvedCount ?? 0,
    amount: days.reduce((sum, { approvedAmount }) => sum + approvedAmount, 0),
    count: days.reduce((sum, { approvedCount }) => sum + approvedCount, 0),
  };
}

function salesFigures({ today, amountToday, countToday, amount, count }: Sales): SafeHtml[] {
  const sold = (href: string, label: string, centavos: number, number: number) =>
    html`<a class="figure" href="${href}"><span>${label}</span><strong>${money(centavos)}</strong>
      <small>${number.toLocaleString('pt-BR')} ${number === 1 ? 'pagamento aprovado' : 'pagamentos aprovados'}</small></a>`;
  const since = (from: string) => `/panel/totals?from=${from}&to=${today}`;
  return [
    sold(since(today), 'Vendido hoje', amountToday, countToday),
    sold(since(`${today.slice(0, 8)}01`), 'Vendido neste mês', amount, count),
  ];
}

type Open = Awaited<ReturnType<typeof readOpen>>;

async function readOpen({ db }: AdministrationContext, storeId: string) {
  const [{ pending = 0, review = 0 }, dead, refused, owed] = await Promise.all([
    countByStatus(db, { storeId }),
    listDeliveries(db, { storeId, state: 'dead' }, onlyTotal),
    listRefundsFound(db, { storeId, state: 'failed', isOpen: true }, onlyTotal),
    sumRefundsFound(db, { storeId, isWaiting: true }),
  ]);
  return { pending, review, dead: dead.total, refused: refused.total, owed: owed.owedAmount };
}

function openFigures({ pending, review, dead, refused, owed }: Open): SafeHtml[] {
  return [
    figure('/panel/payments?status=pending', 'Aguardam pagamento', pending, '', 'calm'),
    figure('/panel/reviews', 'Em análise', review),
    figure('/panel/deliveries?state=dead', 'Entregas que falharam', dead),
    figure(
      '/panel/refunds',
      'Devoluções recusadas',
      refused,
      owed > 0 ? `${formatBrl(owed)} a devolver` : '',
    ),
  ];
}
