import { listUnmatchedPix, type UnmatchedPix } from '@payments/database/charges/unmatched-pix';
import type { Queryable } from '@payments/database/connection';
import { listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { isRefundWindowOver, refundableAmount } from '@payments/domain/refunds';
import { asApproved } from '@payments/settlement/balance';
import { RefundRefused } from '@payments/settlement/refunds/order-refund';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, ReasonBody, readKind } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { refusals } from '../../http/errors/api-error.ts';
import { formatBrl, html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { type KindInLink, kindIn } from '../kit/filters.ts';
import { attempt, judgeBy, reasonFrom, textOf } from '../kit/form-values.ts';
import { confirmation, textArea } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, notice, refusalWords } from '../kit/parts.ts';
import { emptyState, linkTo, numeric, pageOf, pagination, table } from '../kit/tables.ts';
import { refundErrorName, refundReason } from '../payments/names.ts';
import { outlook, refundStatus } from '../refunds/parts.ts';
import { refundUnmatched } from './actions.ts';

const judge = judgeBy(ReasonBody);

/** The page of unmatched Pix, and their refund: a second post finds nothing left to refund. */
export const unmatchedPixPage: AdministrationPlugin = async (app, { context }) => {
  app.get('/unmatched-pix', { config: { may: 'reconcile', takesKind: true } }, async (request, reply) =>
    showUnmatchedPix(context, request, reply, notice(textOf(request.query, 'done'))),
  );

  const schema = { params: Type.Object({ endToEndId: Type.String() }) };
  const refunding = { schema, config: { may: 'refundUnmatched' as const, proof: { to: 'devolver o Pix' } } };
  app.post('/unmatched-pix/:endToEndId/refund', refunding, async (request, reply) => {
    const { endToEndId } = request.params;
    const tell = (code: number, message: string, wrong?: string) => {
      const said = alert('error', `Nenhuma devolução foi pedida. ${message}`);
      const refusedReturn = { endToEndId, reason: textOf(request.body, 'reason'), wrong };
      return showUnmatchedPix(context, request, reply.code(code), said, refusedReturn);
    };
    const { result, wrong } = await attempt(() => judge({ reason: reasonFrom(request) }));
    if (wrong) return tell(400, 'Confira o campo indicado.', wrong.message);
    try {
      const by = authorOf(request, result);
      await refundUnmatched(context, { endToEndId, by }, request.log);
    } catch (error) {
      if (error instanceof RefundRefused) return tell(409, refusalWords(error.refusal));
      throw error;
    }
    const kind = kindIn(readKind(request.actor, request.query).test);
    return reply.redirect(linkTo(path, { ...kind, done: 'refund-requested' }), 303);
  });
};

const path = '/panel/unmatched-pix';

/** Sends the current page of unmatched Pix. */
async function showUnmatchedPix(
  { db, now }: AdministrationContext,
  request: FastifyRequest,
  reply: FastifyReply,
  notice: SafeHtml,
  refusedReturn?: ReturnForm,
): Promise<FastifyReply> {
  const kind = readKind(request.actor, request.query);
  const { items, ...pages } = await pageOf(request.query, (page) => listUnmatchedPix(db, page, kind));
  const all = await withRefunds(db, items);
  const place = { ...kindIn(kind.test), page: pages.page };
  return sendPage(request, reply, {
    title: 'Pix sem pagamento',
    section: 'unmatched-pix',
    isOfTests: kind.test,
    content: (csrf) => html`<h1>Pix sem pagamento</h1>${notice}
      <p class="muted">Pix que o banco recebeu e que não correspondem a nenhum pagamento. O serviço continua tentando conciliá-los. Você também pode devolver o valor.</p>
      <div class="card flush">${unmatchedPixTable(csrf, all, { now: now(), place, refusedReturn })}</div>
      ${pagination(pages, path, kindIn(kind.test))}`,
  });
}

/** Reads the refunds of a page's Pix, all at once. */
export async function withRefunds(
  db: Queryable,
  all: readonly UnmatchedPix[],
): Promise<UnmatchedWithRefunds[]> {
  const refunds = await listRefundsOfPix(
    db,
    all.map(({ endToEndId }) => endToEndId),
  );
  const ofPix = Map.groupBy(refunds, ({ endToEndId }) => endToEndId);
  return all.map((pix) => ({ pix, refunds: ofPix.get(pix.endToEndId) ?? [] }));
}

type UnmatchedWithRefunds = { pix: UnmatchedPix; refunds: readonly Refund[] };

/** A refused refund: the typed reason and the wrong field, if any. */
type ReturnForm = { endToEndId: string; reason: string; wrong: string | undefined };

/** The query that leads back to the page of the list that is shown. */
type Place = KindInLink & { page: number };

type View = { now: Date; place: Place; refusedReturn?: ReturnForm | undefined };

const reasons: Record<string, string> = {
  charge_unknown: 'O banco não conhece a cobrança deste Pix.',
  not_in_charge: 'Este Pix não aparece na cobrança.',
  no_payment: 'Nenhum pagamento tem a cobrança deste Pix.',
};

const columns = [numeric('Valor'), 'Motivo', 'Pago em', 'Visto em', 'endToEndId e txid', 'Devolução'];

function unmatchedPixTable(csrf: string, all: readonly UnmatchedWithRefunds[], view: View): SafeHtml {
  if (all.length === 0)
    return emptyState('Nenhum Pix sem pagamento', 'Todos os Pix recebidos foram conciliados.');
  const rows = all.map(({ pix, refunds }) => [
    money(pix.amount),
    html`<span class="wrap">${reasons[pix.reason] ?? pix.reason}</span>`,
    time(pix.paidAt),
    time(pix.receivedAt),
    html`<span class="mono wrap">${pix.endToEndId}</span><span class="mono small muted wrap block">${pix.txid ?? '–'}</span><span class="small muted block">Banco: ${pix.bank}</span>`,
    html`${refunds.map(progress)}${giveBack(csrf, { pix, refunds }, view)}`,
  ]);
  return table('Pix sem pagamento', columns, rows);
}

function progress(refund: Refund): SafeHtml {
  const { origin, amount, lastError } = refund;
  return html`<p>${refundStatus(refund)} ${money(amount)}
    ${origin === 'bank' ? html`<span class="small wrap block">${refundReason(refund)}</span>` : nothing}
    ${lastError === null ? nothing : html`<span class="small wrap block">${refundErrorName(lastError)}</span>`}${outlook(refund)}</p>`;
}

function giveBack(
  csrf: string,
  { pix, refunds }: UnmatchedWithRefunds,
  { now, place, refusedReturn }: View,
): SafeHtml {
  const left = refundableAmount({ ...asApproved(pix), refunds });
  if (left === 0) return nothing;
  if (isRefundWindowOver(pix, now)) return html`<p class="muted">${refusals.windowOver}</p>`;
  const { endToEndId } = pix;
  const typed = refusedReturn?.endToEndId === endToEndId ? refusedReturn : undefined;
  const question = {
    csrf,
    action: linkTo(`${path}/${encodeURIComponent(endToEndId)}/refund`, place),
    id: `return-${endToEndId}`,
    label: 'Devolver',
    warning: `A devolução de ${formatBrl(left)} a quem pagou será pedida ao banco. Isto não pode ser desfeito.`,
    confirm: `Devolver ${formatBrl(left)}`,
    open: typed !== undefined,
  };
  return confirmation(
    question,
    textArea({
      id: `reason-${endToEndId}`,
      name: 'reason',
      label: 'Motivo',
      rows: 2,
      value: typed?.reason,
      error: typed?.wrong,
    }),
  );
}
