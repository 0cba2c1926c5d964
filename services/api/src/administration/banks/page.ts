import { type ChargeProblem, listChargeProblems } from '@payments/database/charges/problems';
import type { Queryable } from '@payments/database/connection';
import type { Page } from '@payments/database/filters';
import { findPayments, type StoredPayment } from '@payments/database/payments/payments';
import { may } from '@payments/domain/roles';
import { isTestBank } from '@payments/domain/route-charge';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, authorOf, readKind } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { html, money, type SafeHtml, time } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { attempt, judgeBy, textOf } from '../kit/form-values.ts';
import { confirmation, postForm, textArea } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, bankBadge, notice, statusBadge } from '../kit/parts.ts';
import { emptyState, linkTo, numeric, pageOf, pagination, table } from '../kit/tables.ts';
import { bankParams } from '../shapes.ts';
import { pauseBank, readBanks, resumeBank, type ShownBank } from './actions.ts';
import { bankErrorName, chargeWorkName, errorOf } from './names.ts';
import { PauseBody } from './schemas.ts';

const judge = judgeBy(PauseBody);

/** The page of the banks, their pause and resume. */
export const banksPage: AdministrationPlugin = async (app, { context }) => {
  app.get('/banks', { config: { may: 'readBanks', takesKind: true } }, async (request, reply) =>
    show(context, request, reply),
  );

  const pausing = { schema: { params: bankParams }, config: { may: 'pauseBank' as const } };
  app.post('/banks/:id/pause', pausing, async (request, reply) => {
    const { id } = request.params;
    const typed = textOf(request.body, 'reason');
    const { result: paused, wrong } = await attempt(() =>
      pauseBank(context, id, authorOf(request, judge({ reason: typed }))),
    );
    if (wrong) {
      const refusedPause = { reason: typed, wrong: wrong.message };
      return show(context, request, reply.code(400), { id, said: notPaused, refusedPause });
    }
    const done = paused.isNew ? 'bank-paused' : 'bank-paused-already';
    return reply.redirect(linkTo('/panel/banks', { ...kindIn(isTestBank(id)), done }), 303);
  });

  app.post('/banks/:id/resume', pausing, async (request, reply) => {
    const { id } = request.params;
    const shown = textOf(request.body, 'shown') || undefined;
    const isResumed = await resumeBank(context, id, authorOf(request), shown);
    if (!isResumed) return show(context, request, reply.code(409), { id, said: pausedAnew });
    return reply.redirect(linkTo('/panel/banks', { ...kindIn(isTestBank(id)), done: 'bank-resumed' }), 303);
  });
};

const notPaused = 'O banco não foi pausado. Corrija o campo indicado.';
const pausedAnew =
  'O banco não foi retomado: alguém o pausou de novo depois que a sua página foi aberta. Leia os motivos antes de retomar.';

/** A form that was refused: the bank, the notice, and for a pause the typed reason and what is wrong with it. */
type Refused = { id: string; said: string; refusedPause?: PauseForm };

async function show(
  context: AdministrationContext,
  request: FastifyRequest,
  reply: FastifyReply,
  refused?: Refused,
): Promise<FastifyReply> {
  const kind = refused ? { test: isTestBank(refused.id) } : readKind(request.actor, request.query);
  const banks = await readBanks(context, kind);
  const said = refused ? alert('error', refused.said) : notice(textOf(request.query, 'done'));
  return sendPage(request, reply, {
    title: 'Bancos',
    section: 'banks',
    isOfTests: kind.test,
    content: (csrf) => html`<h1>Bancos</h1>${said}
      <p class="muted">Em ordem de preferência. Cada cobrança nova vai para o primeiro banco da loja que não está pausado nem com falhas. Tudo o que um banco já tem continua nele até o fim.</p>
      <div class="card flush">${bankTable(csrf, banks, { actor: request.actor, refused })}</div>`,
  });
}

type PauseForm = { reason: string; wrong: string };

const bankColumns = [
  'Banco',
  'Status',
  'Desde',
  numeric('Aguardam código'),
  numeric('Cobranças hoje'),
  numeric('Valor hoje'),
  'Último erro',
];

type View = { actor: Pick<Actor, 'role'>; refused: Refused | undefined };

function bankTable(csrf: string, banks: readonly ShownBank[], { actor, refused }: View): SafeHtml {
  const mayPause = may(actor.role, 'pauseBank');
  const rows = banks.map((bank) => [
    html`<strong>${bank.id}</strong><span class="small muted block">${bank.psp}</span>`,
    html`${bankBadge(bank.state)}${pauseReasons(bank)}`,
    time(bank.since),
    html`${bank.waiting.toLocaleString('pt-BR')}`,
    html`${bank.chargesToday.toLocaleString('pt-BR')}`,
    money(bank.amountToday),
    html`<span class="small wrap">${errorOf(bank)}</span>`,
    ...(mayPause ? [bank.pausedSince ? resume(csrf, bank) : pause(csrf, bank, refused)] : []),
  ]);
  return table('Bancos', mayPause ? [...bankColumns, 'Ação'] : bankColumns, rows);
}

/** Each reason on its own line: a paused bank may have been paused again for another one. */
function pauseReasons({ pausedReason }: ShownBank): SafeHtml {
  const lines = pausedReason?.split('\n') ?? [];
  return html`${lines.map((line) => html`<span class="small wrap block">${line}</span>`)}`;
}

function pause(csrf: string, { id }: ShownBank, refused: Refused | undefined): SafeHtml {
  const typed = refused?.id === id ? refused.refusedPause : undefined;
  const question = {
    csrf,
    action: `/panel/banks/${id}/pause`,
    id: `pause-${id}`,
    label: 'Pausar',
    warning: `Nenhuma cobrança nova vai para ${id} até que alguém o retome. As cobranças e devoluções que ele já tem continuam.`,
    confirm: `Pausar ${id}`,
    open: typed !== undefined,
  };
  const reason = {
    id: `reason-${id}`,
    name: 'reason',
    label: 'Motivo',
    rows: 2,
    required: true,
    value: typed?.reason,
    error: typed?.wrong,
  };
  return confirmation(question, textArea(reason));
}

function resume(csrf: string, bank: ShownBank): SafeHtml {
  const label = html`Retomar<span class="visually-hidden"> ${bank.id}</span>`;
  return postForm(
    { csrf, action: `/panel/banks/${bank.id}/resume` },
    html`<input type="hidden" name="shown" value="${bank.lastPausedAt?.toISOString()}"><button class="button small">${label}</button>`,
  );
}

const path = '/panel/charge-problems';
type Found = { problem: ChargeProblem; payment: StoredPayment | undefined };

/** The page of charges that keep failing, longest failing first. */
export const chargeProblemPage: AdministrationPlugin = async (app, { context }) => {
  app.get(
    '/charge-problems',
    { config: { may: 'readProblems', takesKind: true } },
    async (request, reply) => {
      const kind = readKind(request.actor, request.query);
      const read = (page: Page) => listChargeProblems(context.db, page, kind);
      const { items, ...pages } = await pageOf(request.query, read);
      const found = await withPayments(context.db, items);
      const content = html`<h1>Cobranças com problemas</h1>
      <p class="muted">O serviço tenta de novo automaticamente. As outras cobranças não são afetadas.</p>
      <div class="card flush">${problemTable(found)}</div>
      ${pagination(pages, path, kindIn(kind.test))}`;
      return sendPage(request, reply, {
        title: 'Cobranças com problemas',
        section: 'charge-problems',
        content: () => content,
      });
    },
  );
};

/** Reads the payments of a page's problems, all at once. After a restore, some payment may be missing. */
export async function withPayments(db: Queryable, problems: readonly ChargeProblem[]): Promise<Found[]> {
  const ids = problems.flatMap(({ paymentId }) => paymentId ?? []);
  const payments = new Map((await findPayments(db, ids)).map((payment) => [payment.id, payment]));
  return problems.map((problem) => ({ problem, payment: payments.get(problem.paymentId ?? '') }));
}

const problemColumns = ['Pagamento', 'O que falha', 'Erro', numeric('Falhas'), 'Desde', 'Próxima tentativa'];

function problemTable(found: readonly Found[]): SafeHtml {
  if (found.length === 0)
    return emptyState(
      'Nenhuma cobrança com problemas',
      'O serviço não encontrou falhas em nenhuma cobrança.',
    );
  const rows = found.map(({ problem, payment }) => [
    html`${paymentLink(payment)}<span class="mono small muted wrap block">txid ${problem.txid}</span>`,
    html`${chargeWorkName(problem.work)}`,
    html`<span class="small wrap">${bankErrorName(problem.error)}</span>`,
    html`${problem.tries.toLocaleString('pt-BR')}`,
    time(problem.since),
    problem.tryAt
      ? time(problem.tryAt)
      : html`<span class="muted">Na próxima verificação do pagamento</span>`,
  ]);
  return table('Cobranças com problemas', problemColumns, rows);
}

function paymentLink(payment: StoredPayment | undefined): SafeHtml {
  if (!payment) return html`<span class="muted">Nenhum pagamento</span>`;
  const { id, charged, status } = payment;
  return html`<a href="/panel/payments/${id}">${money(charged)}</a> ${statusBadge(status)}`;
}
