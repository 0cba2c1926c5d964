import { findCheckedDay } from '@payments/database/reconciliation/checked-days';
import { dayOf } from '@payments/domain/days';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { ApiError } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { dayText } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, notice } from '../kit/notices.ts';
import { calendar, firstOf } from './calendar.ts';
import { compareDayAt, together } from './check.ts';
import { dayPage } from './day-page.ts';
import { listDays, readPastDay } from './reconciliation.ts';

type Day = { Params: { date: string }; Querystring: { done?: unknown } };

/** The pages of the conciliação: the last ninety days, and one day with its differences. */
export function reconciliationPages(app: FastifyInstance, context: AdministrationContext): void {
  const reconciling = { config: { may: 'reconcile' as const } };
  app.get('/reconciliation', reconciling, async (request, reply) => {
    const today = dayOf(context.now());
    const checked = await listDays(context, { from: firstOf(today), to: today });
    return sendPage(request, reply, {
      title: 'Conciliação',
      section: 'reconciliation',
      content: () => html`<h1>Conciliação</h1>
        <p class="muted">Compara cada dia do banco com o do sistema: Pix, devoluções e devoluções do banco (MED). O dia anterior é conferido automaticamente.</p>
        <p class="muted small calendar-legend">✓ confere · ≠ diferenças · – não conferido</p>
        ${calendar(today, checked)}`,
    });
  });
  app.get<Day>('/reconciliation/:date', reconciling, async (request, reply) =>
    showDay(context, request, reply, notice(request.query.done)),
  );
  app.post<Day>('/reconciliation/:date', reconciling, async (request, reply) => {
    const day = readDate(context, request.params.date);
    try {
      await compareDayAt(context, { day, banks: context.banks.all(), request, reply });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { statusCode, headers, message } = error;
      return showDay(context, request, reply.code(statusCode).headers(headers), alert('error', message));
    }
    return reply.redirect(`/panel/reconciliation/${day}?done=day-checked`, 303);
  });
}

async function showDay(
  context: AdministrationContext,
  request: FastifyRequest<Day>,
  reply: FastifyReply,
  said: SafeHtml = nothing,
): Promise<FastifyReply> {
  const date = readDate(context, request.params.date);
  const checked = await findCheckedDay(context.db, date);
  const day = checked.length === 0 ? undefined : together(checked, context.now());
  return sendPage(request, reply, {
    title: `Conciliação de ${dayText(date)}`,
    section: 'reconciliation',
    content: (csrf) => dayPage(csrf, date, day, said),
  });
}

/** @throws ApiError 404 for no day, and for one to come */
function readDate({ now }: AdministrationContext, date: string): string {
  try {
    return readPastDay(date, now());
  } catch {
    throw errors.pageNotFound();
  }
}
