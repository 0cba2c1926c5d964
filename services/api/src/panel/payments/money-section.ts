import type { Refund } from '@payments/database/refunds';
import { refusalOf } from '@payments/settlement/refund-anew';
import { html, nothing, type SafeHtml } from '../html.ts';
import { refundBadge } from '../page/badge.ts';
import { textArea } from '../page/fields.ts';
import { confirmation } from '../page/forms.ts';
import { money } from '../page/money.ts';
import { emptyState, table } from '../page/table.ts';
import { time } from '../page/time.ts';
import { effectName, refundReason } from './names.ts';
import type { Picture } from './picture.ts';

/** The Pix that were received for a payment. */
export function pixSection({ pix }: Picture): SafeHtml {
  const columns = [
    { label: 'Valor', numeric: true },
    { label: 'Pago em' },
    { label: 'Efeito' },
    { label: 'endToEndId' },
  ];
  const rows = pix.map((one) => [
    money(one.amount),
    time(one.paidAt),
    html`${effectName(one.effect)}`,
    html`<span class="mono wrap">${one.endToEndId}</span>`,
  ]);
  return html`<section class="card flush"><h2>Pix recebidos</h2>
    ${pix.length === 0 ? emptyState('Nenhum Pix recebido', 'Assim que o banco confirmar um, ele aparece aqui.') : table('Pix recebidos', columns, rows)}</section>`;
}

/** What went back, or is to go back, to who paid. One that the bank refused can be ordered anew while it is owed. */
export function refundSection(csrf: string, { payment, refunds }: Picture): SafeHtml {
  if (refunds.length === 0) return nothing;
  const columns = [
    { label: 'Situação' },
    { label: 'Valor', numeric: true },
    { label: 'Motivo' },
    { label: 'Pedida em' },
    { label: 'Banco' },
  ];
  const rows = refunds.map((refund) => [
    html`${refundBadge(refund.state)}${refusalOf(refund, refunds, payment.status) === null ? anew(csrf, refund) : nothing}`,
    money(refund.amount),
    html`<span class="wrap">${refundReason(refund.reason)}</span>`,
    time(refund.createdAt),
    html`<span class="mono wrap">${refund.rtrId ?? refund.lastError ?? '–'}</span>`,
  ]);
  return html`<section class="card flush"><h2>Devoluções</h2>${table('Devoluções', columns, rows)}</section>`;
}

function anew(csrf: string, { paymentId, id }: Refund): SafeHtml {
  return html`<div class="block">${confirmation(
    {
      csrf,
      action: `/panel/payments/${paymentId}/refunds/${id}/retry`,
      id: `refund-${id}`,
      label: 'Pedir de novo',
      warning:
        'O banco recusou esta devolução. Uma nova, do que resta deste Pix, será pedida agora. Isto não pode ser desfeito.',
      confirm: 'Pedir devolução',
      danger: false,
    },
    textArea({ id: `refund-reason-${id}`, name: 'reason', label: 'Motivo', rows: 2 }),
  )}</div>`;
}
