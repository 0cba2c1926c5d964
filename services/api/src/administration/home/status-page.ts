import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Backlog, readBacklog } from '@payments/database/backlog';
import { readKind } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { readBanks, type ShownBank } from '../banks/actions.ts';
import { errorOf } from '../banks/names.ts';
import { sendPage } from '../kit/layout.ts';
import { badge, bankBadge } from '../kit/parts.ts';
import { numeric, table } from '../kit/tables.ts';

/** The page of the service's health: its parts, the banks, and the work that waits. */
export const statusPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
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
