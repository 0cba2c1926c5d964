import { type DayFigures, type Difference, firstShownDay, shownDays } from '@payments/domain/compare-day';
import { addDays, dayOf } from '@payments/domain/days';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readKind } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { ApiError } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { goneSignal } from '../../http/long-reads.ts';
import { dayText, formatBrl, html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { type KindInLink, kindIn } from '../kit/filters.ts';
import { textOf } from '../kit/form-values.ts';
import { postForm } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, notice } from '../kit/parts.ts';
import { emptyState, linkTo, numeric, table } from '../kit/tables.ts';
import { type ComparedDay, compareWithBanks, lastComparison, listDays, readPastDay } from './actions.ts';

type Day = { Params: { date: string } };

const oneDay = { params: Type.Object({ date: Type.String() }) };

/** The pages of the conciliação: the last ninety days, and one day with its differences. */
export const reconciliationPage: AdministrationPlugin = async (app, { context }) => {
  const config = { may: 'reconcile' as const };
  app.get('/reconciliation', { config: { ...config, takesKind: true } }, async (request, reply) => {
    const now = context.now();
    const today = dayOf(now);
    const { test = false } = readKind(request.actor, request.query);
    const checked = await listDays(context, { from: firstShownDay(now), to: today, test });
    return sendPage(request, reply, {
      title: 'Conciliação',
      section: 'reconciliation',
      content: () => html`<h1>Conciliação</h1>
        <p class="muted">Compara cada dia do banco com o do sistema: Pix, devoluções e devoluções do banco (MED). O dia anterior é conferido automaticamente.</p>
        <p class="muted small calendar-legend">✓ confere · ≠ diferenças · – não conferido</p>
        ${calendar(today, checked, kindIn(test))}`,
    });
  });

  app.get(
    '/reconciliation/:date',
    { schema: oneDay, config: { ...config, takesKind: true } },
    async (request, reply) => showDay(context, request, reply, notice(textOf(request.query, 'done'))),
  );

  app.post('/reconciliation/:date', { schema: oneDay, config }, async (request, reply) => {
    const { actor, params, log } = request;
    const day = readDate(context, params.date);
    try {
      const { test = false } = readKind(actor, request.query);
      await compareWithBanks(context, { day, of: { test }, actor, gone: goneSignal(reply) }, log);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { statusCode, headers, message } = error;
      return showDay(context, request, reply.code(statusCode).headers(headers), alert('error', message));
    }
    const to = { ...kindIn(readKind(actor, request.query).test), done: 'day-checked' };
    return reply.redirect(linkTo(`/panel/reconciliation/${day}`, to), 303);
  });
};

async function showDay(
  context: AdministrationContext,
  request: FastifyRequest<Day>,
  reply: FastifyReply,
  said: SafeHtml = nothing,
): Promise<FastifyReply> {
  const date = readDate(context, request.params.date);
  const kind = readKind(request.actor, request.query);
  const day = await lastComparison(context, date, kind);
  return sendPage(request, reply, {
    title: `Conciliação de ${dayText(date)}`,
    section: 'reconciliation',
    isOfTests: kind.test,
    content: (csrf) => dayPage({ csrf, kind: kindIn(kind.test) }, date, day, said),
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

/** A day that was compared; `isFinal` if it was over then, with every bank. */
type CheckedDate = { date: string; differences: number; isFinal: boolean };

const weekdays = ['domingo', 'segunda', 'terça', 'quarta', 'quinta', 'sexta', 'sábado'];

/**
 * The last ninety days by weeks, newest month first: each day says in words, too, whether the bank and we agree.
 * Brazilian weeks begin on Sunday.
 */
export function calendar(today: string, checked: readonly CheckedDate[], kind: KindInLink = {}): SafeHtml {
  const known = new Map(checked.map((day) => [day.date, day]));
  const all = Array.from({ length: shownDays }, (_, age) => addDays(today, -age));
  const months = Map.groupBy(all, (date) => date.slice(0, 7));
  const heads = weekdays.map(
    (name) => html`<th scope="col"><abbr title="${name}">${name.slice(0, 3)}</abbr></th>`,
  );
  return html`${[...months].map(
    ([month, dates]) => html`<section aria-labelledby="month-${month}">
      <h2 id="month-${month}">${monthName(month)}</h2>
      <table class="calendar" aria-labelledby="month-${month}"><thead><tr>${heads}</tr></thead>
        <tbody>${weeksOf(dates.toReversed()).map((week) => html`<tr>${week.map((date) => dayCell(date, { known, today, kind }))}</tr>`)}</tbody>
      </table></section>`,
  )}`;
}

/** @returns the days in rows of a week; a place before the first or after the last day is empty */
function weeksOf(dates: readonly string[]): (string | undefined)[][] {
  const before = new Date(`${dates[0]}T00:00:00Z`).getUTCDay();
  const weeks = Math.ceil((before + dates.length) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    weekdays.map((_, weekday) => dates[week * 7 + weekday - before]),
  );
}

type Calendar = { known: ReadonlyMap<string, CheckedDate>; today: string; kind: KindInLink };

function dayCell(date: string | undefined, shown: Calendar): SafeHtml {
  return html`<td>${date ? dayLink(date, shown) : nothing}</td>`;
}

function dayLink(date: string, { known, today, kind }: Calendar): SafeHtml {
  const { tone, says } = seen(date, known.get(date), today);
  return html`<a class="day ${tone}" href="${linkTo(`/panel/reconciliation/${date}`, kind)}">
    <span>${Number(date.slice(8))}</span>${says.map((words) => html`<small>${words}</small> `)}</a>`;
}

/** Agreement before the day's end says nothing of the rest of it, while a difference is one at any time. */
function seen(
  date: string,
  checked: CheckedDate | undefined,
  today: string,
): { tone: string; says: string[] } {
  if (checked && checked.differences > 0) return { tone: 'bad', says: [countOf(checked.differences)] };
  if (checked?.isFinal) return { tone: 'good', says: ['confere'] };
  if (checked && date === today) return { tone: 'none', says: ['confere', 'até agora'] };
  return { tone: 'none', says: ['não conferido'] };
}

function countOf(differences: number): string {
  return differences === 1 ? '1 diferença' : `${differences.toLocaleString('pt-BR')} diferenças`;
}

function monthName(month: string): string {
  const name = new Date(`${month}-15T12:00:00Z`).toLocaleDateString('pt-BR', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const kinds: Record<Difference['kind'], string> = {
  missing_here: 'Pix que só o banco tem',
  missing_at_bank: 'Pix que só nós temos',
  amount_differs: 'Pix com valores diferentes',
  unreadable: 'Pix que não pudemos ler',
  refund_missing_here: 'Devolução que só o banco tem',
  refund_missing_at_bank: 'Devolução que só nós temos',
  refund_amount_differs: 'Devolução com valores diferentes',
  refund_unreadable: 'Devolução que não pudemos ler',
};

/** The bank's day beside ours, and every difference. */
type DayFrame = { csrf: string; kind: KindInLink };

function dayPage(
  { csrf, kind }: DayFrame,
  date: string,
  day: ComparedDay | undefined,
  notice: SafeHtml,
): SafeHtml {
  const action = linkTo(`/panel/reconciliation/${date}`, kind);
  return html`<p class="back"><a href="${linkTo('/panel/reconciliation', kind)}">Conciliação</a></p>
    <h1>${dayText(date)}</h1>${notice}
    ${day ? compared(day) : html`<p class="muted">Este dia ainda não foi conferido.</p>`}
    ${postForm({ csrf, action }, html`<button class="button">Conferir agora</button>`)}`;
}

function compared(day: ComparedDay): SafeHtml {
  const { checkedAt, atBank, ours, others } = day;
  const sides = table(
    'O dia no banco e aqui',
    ['Onde', numeric('Pix'), numeric('Devoluções')],
    [side('No banco', atBank), side('Aqui', ours)],
  );
  return html`<p class="muted">Conferido em ${time(checkedAt)}${howFar(day)}.</p>
    <div class="card flush">${sides}</div>
    ${others.count === 0 ? nothing : html`<p class="muted">A conta recebeu também ${others.count.toLocaleString('pt-BR')} Pix que ${others.count === 1 ? 'não é de cobrança' : 'não são de cobranças'} deste serviço: ${formatBrl(others.amount)}.</p>`}
    <section class="card flush"><h2>Diferenças</h2>${differenceTable(day)}</section>`;
}

function howFar({ isFinal, missing }: ComparedDay): string {
  if (isFinal) return '';
  if (missing.length > 0)
    return `, sem ${missing.join(', ')}: o serviço tenta de novo se o banco estiver configurado`;
  return ', antes do fim do dia. O serviço confere o dia de novo depois que ele terminar';
}

function side(name: string, { pixCount, pixAmount, refundCount, refundAmount }: DayFigures): SafeHtml[] {
  return [html`<strong>${name}</strong>`, sum(pixCount, pixAmount), sum(refundCount, refundAmount)];
}

const sum = (count: number, amount: number) =>
  html`${money(amount)} <span class="small muted">em ${count.toLocaleString('pt-BR')}</span>`;

// After a restore, a day may differ in a hundred thousand Pix.
const mostShown = 500;

const columns = ['O que difere', numeric('No banco'), numeric('Aqui'), 'Pagamento', 'endToEndId e txid'];

function differenceTable({ differences, isFinal, missing }: ComparedDay): SafeHtml {
  if (differences.length === 0 && isFinal)
    return emptyState('Nenhuma diferença', 'O banco e o serviço dizem o mesmo, até o centavo.');
  if (differences.length === 0)
    return emptyState(
      'Nenhuma diferença até agora',
      missing.length > 0 ? `Falta conferir ${missing.join(', ')}.` : 'O dia ainda não tinha terminado.',
    );
  const rows = differences
    .slice(0, mostShown)
    .map(({ kind, endToEndId, refundId, paymentId, txid, bankAmount = null, ourAmount = null }) => [
      html`${kinds[kind]}`,
      money(bankAmount),
      money(ourAmount),
      paymentId
        ? html`<a href="/panel/payments/${paymentId}">Ver pagamento</a>`
        : html`<span class="muted">Nenhum</span>`,
      html`<span class="mono wrap">${endToEndId ?? 'sem endToEndId'}</span><span class="mono small muted wrap block">${refundId ? `devolução ${refundId}` : (txid ?? '–')}</span>`,
    ]);
  const all = differences.length.toLocaleString('pt-BR');
  return html`${table('Diferenças', columns, rows)}${differences.length > mostShown ? html`<p class="muted">As primeiras ${mostShown} de ${all}. A API traz todas: <code>GET /admin/reconciliation?date=</code>.</p>` : nothing}`;
}
