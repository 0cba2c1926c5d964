import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type ChargeProblem, listChargeProblems } from '@payments/database/charges/problems';
import type { Queryable } from '@payments/database/connection';
import { findPayments, type StoredPayment } from '@payments/database/payments/payments';
import { readKind } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { money, time } from '../../pages/formats.ts';
import { html, type SafeHtml } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { sendPage } from '../kit/layout.ts';
import { statusBadge } from '../kit/parts.ts';
import { emptyState, numeric, pageIn, pagination, table } from '../kit/tables.ts';
import { bankErrorName, chargeWorkName } from './names.ts';

const path = '/panel/charge-problems';
type Found = { problem: ChargeProblem; payment: StoredPayment | undefined };

/** The page of charges that keep failing, longest failing first. */
export const chargeProblemPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  app.get(
    '/charge-problems',
    { config: { may: 'readProblems', takesKind: true } },
    async (request, reply) => {
      const page = pageIn(request.query);
      const kind = readKind(request.actor, request.query);
      const { items, total } = await listChargeProblems(context.db, page, kind);
      const found = await withPayments(context.db, items);
      const content = html`<h1>Cobranças com problemas</h1>
      <p class="muted">O serviço tenta de novo automaticamente. As outras cobranças não são afetadas.</p>
      <div class="card flush">${list(found)}</div>
      ${pagination({ ...page, total }, path, kindIn(kind.test))}`;
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

const columns = ['Pagamento', 'O que falha', 'Erro', numeric('Falhas'), 'Desde', 'Próxima tentativa'];

function list(found: readonly Found[]): SafeHtml {
  if (found.length === 0)
    return emptyState(
      'Nenhuma cobrança com problemas',
      'O serviço não encontrou falhas em nenhuma cobrança.',
    );
  const rows = found.map(({ problem, payment }) => [
    html`${link(payment)}<span class="mono small muted wrap block">txid ${problem.txid}</span>`,
    html`${chargeWorkName(problem.work)}`,
    html`<span class="small wrap">${bankErrorName(problem.error)}</span>`,
    html`${problem.tries.toLocaleString('pt-BR')}`,
    time(problem.since),
    problem.tryAt
      ? time(problem.tryAt)
      : html`<span class="muted">Na próxima verificação do pagamento</span>`,
  ]);
  return table('Cobranças com problemas', columns, rows);
}

function link(payment: StoredPayment | undefined): SafeHtml {
  if (!payment) return html`<span class="muted">Nenhum pagamento</span>`;
  const { id, charged, status } = payment;
  return html`<a href="/panel/payments/${id}">${money(charged)}</a> ${statusBadge(status)}`;
}
