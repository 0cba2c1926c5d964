import { type ChargeProblem, listChargeProblems } from '@payments/database/charges/problems';
import type { Queryable } from '@payments/database/connection';
import type { Page } from '@payments/database/filters';
import { findPayments, type StoredPayment } from '@payments/database/payments/payments';
import { may } from '@payments/domain/roles';
import { isTestBank } from '@payments/domain/route-charge';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, authorOf, readKind } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
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
    const { wrong } = await attempt(() =>
      pauseBank(context, id, authorOf(request, judge({ reason: typed }))),
    );
    if (wrong) return show(context, request, reply.code(400), { id, reason: typed, wrong: wrong.message });
    return reply.redirect(linkTo('/panel/banks', { ...kindIn(isTestBank(id)), done: 'bank-paused' }), 303);
  });

  app.post('/banks/:id/resume', pausing, async (request, reply) => {
    const { id } = request.params;
    await resumeBank(context, id, authorOf(request));
    return reply.redirect(linkTo('/panel/banks', { ...kindIn(isTestBank(id)), done: 'bank-resumed' }), 303);
  });
};

async function show(
  context: AdministrationContext,
  request: FastifyRequest,
  reply: FastifyReply,
  refusedPause?: PauseForm,
): Promise<FastifyReply> {
  const kind = refusedPause ? { test: isTestBank(refusedPause.id) } : readKind(request.actor, request.query);
  const banks = await readBanks(context, kind);
  const said = refusedPause
    ? alert('error', 'O banco não foi pausado. Corrija o campo indicado.')
    : notice(textOf(request.query, 'done'));
  return sendPage(request, reply, {
    title: 'Bancos',
    section: 'banks',
    isOfTests: kind.test,
    content: (csrf) => html`<h1>Bancos</h1>${said}
      <p class="muted">Em ordem de preferência. Cada cobrança nova vai para o primeiro banco da loja que não está pausado nem com falhas. Tudo o que um banco já tem continua nele até o fim.</p>
      <div class="card flush">${bankTable(csrf, banks, { actor: request.actor, refusedPause })}</div>`,
  });
}

/** A refused pause: the typed reason and what is wrong with it. */
type PauseForm = { id: string; reason: string; wrong: string };

const bankColumns = [
  'Banco',
  'Status',
  'Desde',
  numeric('Aguardam código'),
  numeric('Cobranças hoje'),
  numeric('Valor hoje'),
  'Último erro',
];

type View = { actor: Pick<Actor, 'role'>; refusedPause: PauseForm | undefined };

function bankTable(csrf: string, banks: readonly ShownBank[], { actor, refusedPause }: View): SafeHtml {
  const mayPause = may(actor.role, 'pauseBank');
  const rows = banks.map((bank) => [
    html`<strong>${bank.id}</strong><span class="small muted block">${bank.psp}</span>`,
    html`${bankBadge(bank.state)}${pauseReason(bank)}`,
    time(bank.since),
    html`${bank.waiting.toLocaleString('pt-BR')}`,
    html`${bank.chargesToday.toLocaleString('pt-BR')}`,
    money(bank.amountToday),
    html`<span class="small wrap">${errorOf(bank)}</span>`,
    ...(mayPause ? [bank.isPaused ? resume(csrf, bank) : pause(csrf, bank, refusedPause)] : []),
  ]);
  return table('Bancos', mayPause ? [...bankColumns, 'Ação'] : bankColumns, rows);
}

function pauseReason({ pausedReason }: ShownBank): SafeHtml {
  return pausedReason === null ? nothing : html`<span class="small wrap block">${pausedReason}</span>`;
}

function pause(csrf: string, { id }: ShownBank, refusedPause: PauseForm | undefined): SafeHtml {
  const typed = refusedPause?.id === id ? refusedPause : undefined;
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

function resume(csrf: string, { id }: ShownBank): SafeHtml {
  const label = html`Retomar<span class="visually-hidden"> ${id}</span>`;
  return postForm(
    { csrf, action: `/panel/banks/${id}/resume` },
    html`<button class="button small">${label}</button>`,
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
