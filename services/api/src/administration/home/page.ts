import { type Backlog, type Overview, readBacklog, readOverview } from '@payments/database/backlog';
import { listDeliveries } from '@payments/database/deliveries/list';
import { countByStatus } from '@payments/database/payments/counts';
import { listRefundsFound, sumRefundsFound } from '@payments/database/refunds/list';
import { findStore, listStores } from '@payments/database/stores/stores';
import { readTotals } from '@payments/database/totals/totals';
import { dayOf } from '@payments/domain/days';
import { may, type Operation } from '@payments/domain/roles';
import { paymentStatuses } from '@payments/domain/status';
import type { FastifyRequest } from 'fastify';
import { type Actor, readKind } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { readRange } from '../../http/readers.ts';
import { duration, formatBrl, html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { firstOwnerOffer } from '../../people/accounts/parts.ts';
import { readBanks, type ShownBank } from '../banks/actions.ts';
import { errorOf } from '../banks/names.ts';
import { type KindInLink, kindIn } from '../kit/filters.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, badge, bankBadge, figure, statusBadge } from '../kit/parts.ts';
import { linkTo, numeric, table } from '../kit/tables.ts';
import { latestPayments } from '../payments/actions.ts';
import { paymentTable } from '../payments/parts.ts';

/** The amounts and numbers that wait for a person. */
export function attention(
  overview: Overview,
  context: AdministrationContext,
  { actor: { role }, kind }: { actor: Actor; kind: KindInLink },
): SafeHtml {
  const shown = waiting(overview, context, kind).filter(({ operation }) => may(role, operation));
  return html`${sums(overview, role)}<div class="figures">${shown.map(({ content }) => content)}</div>`;
}

/** The amounts that wait. */
function sums({ backlog }: Overview, role: Actor['role']): SafeHtml {
  const named = [
    [backlog.reviewsWaitingAmount, 'em análise'],
    [backlog.refundsOwedAmount, 'a devolver'],
    [backlog.bankReturnsUnderWayAmount, 'em devoluções iniciadas no banco'],
    [may(role, 'reconcile') ? backlog.pixUnmatchedAmount : 0, 'sem pagamento'],
  ] as const;
  const some = named.filter(([amount]) => amount > 0);
  if (some.length === 0) return html`<p class="muted">Nenhum valor aguarda decisão.</p>`;
  return html`<ul class="sums">${some.map(([amount, what]) => html`<li><strong>${money(amount)}</strong> ${what}</li>`)}</ul>`;
}

type Shown = { operation: Operation; content: SafeHtml };
type Place = [page: string, filters?: Record<string, string>];
type Tail<All extends unknown[]> = All extends [unknown, ...infer Rest] ? Rest : never;

function waiting({ payments, backlog }: Overview, context: AdministrationContext, kind: KindInLink): Shown[] {
  const { refundsOwed, bankReturnsUnderWay, endpointsFailing, endpointsOpen } = backlog;
  const owed = refundsOwed > 0 ? `${formatBrl(backlog.refundsOwedAmount)} a devolver` : underWay(backlog);
  const failing =
    endpointsFailing > endpointsOpen ? `${endpointsFailing.toLocaleString('pt-BR')} com falhas` : '';
  const med = bankReturnsUnderWay > 0 ? 'em andamento' : '';
  const problems = backlog.chargesRefused + backlog.chargesSetAside + backlog.chargesStuck;
  const show = (operation: Operation, place: Place, ...of: Tail<Parameters<typeof figure>>): Shown => ({
    operation,
    content: figure(linkTo(`/panel/${place[0]}`, { ...place[1], ...kind }), ...of),
  });
  const review = payments.review ?? 0;
  return [
    show('readPayments', ['reviews'], 'Em análise', review, nextReview(backlog, context)),
    show('readPayments', ['refunds', { show: 'owed' }], 'Devoluções devidas', refundsOwed, owed),
    show('reconcile', ['unmatched-pix'], 'Pix sem pagamento', backlog.pixUnmatched),
    show('readProblems', ['charge-problems'], 'Cobranças com problemas', problems),
    show(
      'readPayments',
      ['refunds', { show: 'bank' }],
      'Devoluções iniciadas no banco',
      bankReturnsUnderWay,
      med,
    ),
    show('readPayments', ['deliveries', { state: 'dead' }], 'Entregas que falharam', backlog.deliveriesDead),
    show(
      'readPayments',
      ['deliveries', { state: 'pending' }],
      'Entregas pendentes',
      backlog.deliveriesPending,
      '',
      'calm',
    ),
    show('readEndpoints', ['deliveries/endpoints'], 'Destinos em pausa', endpointsOpen, failing),
  ];
}

function nextReview(
  { nextReviewSince: since }: Backlog,
  { now, reviewTimeoutSeconds }: AdministrationContext,
): string {
  if (!since) return '';
  const left = since.getTime() + reviewTimeoutSeconds * 1_000 - now().getTime();
  return `o próximo vence ${left > 0 ? `em ${duration(left)}` : 'agora'}`;
}

function underWay({ refundsUnfinished, refundsToOrderAgain }: Backlog): string {
  const waiting = refundsUnfinished + refundsToOrderAgain;
  return waiting > 0 ? `${waiting.toLocaleString('pt-BR')} em andamento` : '';
}

const words = { failing: 'com falhas', paused: 'em pausa' } as const;

/** Names the banks that get no new charges now; nothing if all are well. */
export function bankAlert(banks: readonly ShownBank[], kind: KindInLink = {}): SafeHtml {
  const away = banks.flatMap(({ id, state }) => (state === 'healthy' ? [] : [`${id} ${words[state]}`]));
  if (away.length === 0) return nothing;
  return alert(
    'warning',
    html`<strong>Bancos: ${away.join(', ')}.</strong> <a href="${linkTo('/panel/banks', kind)}">Ver bancos</a>`,
  );
}

/** The start page, the platform's or a store's own; and the page of all that waits for a person. */
export const startPage: AdministrationPlugin = async (app, { context }) => {
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
    const content = html`<h1 id="waiting">Precisa de atenção</h1>${bankAlert(banks, kindIn(kind.test))}
      <section aria-labelledby="waiting">${attention(overview, context, { actor: request.actor, kind: kindIn(kind.test) })}</section>`;
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
  const shown = kindIn(kind.test);
  return html`<h1>Início</h1>${await firstOwnerOffer(context, request)}${bankAlert(banks, shown)}
    <section aria-labelledby="waiting"><h2 id="waiting">Precisa de atenção</h2>
      ${attention(overview, context, { actor, kind: shown })}</section>
    <section aria-labelledby="payments"><h2 id="payments">Pagamentos</h2>
      <div class="figures compact">${byStatus(overview, shown)}</div></section>
    <section class="card flush"><h2>Últimos pagamentos</h2>${paymentTable(payments, names)}</section>
    ${may(actor.role, 'readRecord') ? html`<p><a href="${linkTo('/panel/changes', shown)}">Auditoria: quem fez o quê</a></p>` : nothing}`;
}

function byStatus({ payments }: Overview, kind: KindInLink): SafeHtml[] {
  return paymentStatuses.map(
    (
      status,
    ) => html`<a class="figure" href="${linkTo('/panel/payments', { status, ...kind })}">${statusBadge(status)}
      <strong>${(payments[status] ?? 0).toLocaleString('pt-BR')}</strong></a>`,
  );
}

const onlyTotal = { page: 1, limit: 1 };

type Member = Actor & { storeId: string };

/** A store's start page: its sales, what waits or failed, and its latest payments. */
async function storeStart(context: AdministrationContext, actor: Member): Promise<SafeHtml> {
  const { db } = context;
  const { role, storeId } = actor;
  const [store, sales, open, payments] = await Promise.all([
    findStore(db, storeId),
    readSales(context, storeId),
    readOpen(context, actor),
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

async function readOpen({ db, longReads }: AdministrationContext, actor: Member) {
  const { storeId } = actor;
  const [{ pending = 0, review = 0 }, dead, refused, owed] = await Promise.all([
    countByStatus(db, { storeId }),
    longReads.list(actor, () => listDeliveries(db, { storeId, state: 'dead' }, onlyTotal)),
    longReads.list(actor, () => listRefundsFound(db, { storeId, state: 'failed', isOpen: true }, onlyTotal)),
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

/** The page of the service's health: its parts, the banks, and the work that waits. */
export const statusPage: AdministrationPlugin = async (app, { context }) => {
  app.get('/status', { config: { may: 'readOverview', takesKind: true } }, async (request, reply) => {
    const kind = readKind(request.actor, request.query);
    const [backlog, banks] = await Promise.all([
      readBacklog(context.db, { now: context.now(), test: kind.test === true }),
      readBanks(context, kind),
    ]);
    const content = html`<h1>Status</h1>
      <section class="card flush"><h2>Serviço</h2>${parts(context.isNatsConnected(), banks)}</section>
      <section class="card flush"><h2>Trabalho pendente</h2>${work(backlog)}</section>`;
    return sendPage(request, reply, { title: 'Status', section: 'status', content: () => content });
  });
};

/** The page itself needs the database, so its part is well wherever the page shows. */
function parts(isNatsConnected: boolean, banks: readonly ShownBank[]): SafeHtml {
  const nats = isNatsConnected
    ? badge('good', 'Conectado')
    : html`${badge('bad', 'Sem conexão')} <span class="small block">Os eventos esperam no banco de dados até que ele volte.</span>`;
  const rows = [
    [html`Banco de dados`, badge('good', 'Conectado')],
    [html`NATS`, nats],
    ...banks.map((bank) => [
      html`Banco ${bank.id}`,
      html`${bankBadge(bank.state)}${bank.state === 'failing' ? html`<span class="small wrap block">${errorOf(bank)}</span>` : nothing}`,
    ]),
  ];
  return table('Serviço', ['Componente', 'Status'], rows);
}

function work(backlog: Backlog): SafeHtml {
  const named = [
    ['Eventos a publicar', backlog.eventsUnpublished, backlog.eventsUnpublishedSince],
    ['Entregas a enviar agora', backlog.deliveriesDue, backlog.deliveriesDueSince],
    ['Cobranças sem código Pix', backlog.chargesUnregistered, backlog.chargesUnregisteredSince],
    ['Devoluções em andamento', backlog.refundsUnfinished, backlog.refundsUnfinishedSince],
    ['Avisos por enviar', backlog.mailsDue, backlog.mailsDueSince],
    ['Avisos que falharam em 24 horas', backlog.mailsFailedLastDay, null],
  ] as const;
  const rows = named.map(([name, total, since]) => [
    html`${name}`,
    html`${total.toLocaleString('pt-BR')}`,
    time(since),
  ]);
  const columns = ['Tarefa', numeric('Quantidade'), 'Desde'];
  return table('Trabalho pendente', columns, rows);
}
