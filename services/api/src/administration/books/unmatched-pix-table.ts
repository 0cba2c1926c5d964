import type { UnmatchedPix } from '@payments/database/charges/unmatched-pix';
import type { Refund } from '@payments/database/refunds/refunds';
import { isRefundWindowOver, refundableAmount } from '@payments/domain/refunds';
import { asApproved } from '@payments/settlement/balance';
import { refusals } from '@payments/settlement/refusals';
import { formatBrl, money, time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { confirmation, textArea } from '../kit/forms.ts';
import { emptyState, numeric, table } from '../kit/tables.ts';
import { refundReason, refusalName } from '../payments/names.ts';
import { outlook, refundStatus } from '../refunds/parts.ts';

export type UnmatchedWithRefunds = { pix: UnmatchedPix; refunds: readonly Refund[] };

/** A refused refund: the typed reason and the wrong field, if any. */
export type UndoneReturn = { endToEndId: string; reason: string; wrong: string | undefined };

const reasons: Record<string, string> = {
  charge_unknown: 'O banco não conhece a cobrança deste Pix.',
  not_in_charge: 'Este Pix não aparece na cobrança.',
  no_payment: 'Nenhum pagamento tem a cobrança deste Pix.',
};

const columns = [numeric('Valor'), 'Motivo', 'Pago em', 'Visto em', 'endToEndId e txid', 'Devolução'];

export function unmatchedPixTable(
  csrf: string,
  all: readonly UnmatchedWithRefunds[],
  { now, undone }: { now: Date; undone?: UndoneReturn | undefined },
): SafeHtml {
  if (all.length === 0)
    return emptyState('Nenhum Pix sem pagamento', 'Todos os Pix recebidos foram conciliados.');
  const rows = all.map(({ pix, refunds }) => [
    money(pix.amount),
    html`<span class="wrap">${reasons[pix.reason] ?? pix.reason}</span>`,
    time(pix.paidAt),
    time(pix.receivedAt),
    html`<span class="mono wrap">${pix.endToEndId}</span><span class="mono small muted wrap block">${pix.txid ?? '–'}</span><span class="small muted block">Banco: ${pix.bank}</span>`,
    html`${refunds.map(progress)}${giveBack(csrf, { pix, refunds }, now, undone)}`,
  ]);
  return table('Pix sem pagamento', columns, rows);
}

function progress(refund: Refund): SafeHtml {
  const { origin, amount, lastError } = refund;
  return html`<p>${refundStatus(refund)} ${money(amount)}
    ${origin === 'bank' ? html`<span class="small wrap block">${refundReason(refund)}</span>` : nothing}
    ${lastError === null ? nothing : html`<span class="small wrap block">${refusalName(lastError)}</span>`}${outlook(refund)}</p>`;
}

function giveBack(
  csrf: string,
  { pix, refunds }: UnmatchedWithRefunds,
  now: Date,
  undone: UndoneReturn | undefined,
): SafeHtml {
  const left = refundableAmount({ ...asApproved(pix), refunds });
  if (left === 0) return nothing;
  if (isRefundWindowOver(pix, now)) return html`<p class="muted">${refusals.windowOver}</p>`;
  const { endToEndId } = pix;
  const typed = undone?.endToEndId === endToEndId ? undone : undefined;
  const question = {
    csrf,
    action: `/panel/unmatched-pix/${encodeURIComponent(endToEndId)}/refund`,
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
