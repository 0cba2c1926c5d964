import type { StoredPayment } from '@payments/database/payments';
import { html, nothing, type SafeHtml } from '../html.ts';
import { alert } from '../page/alert.ts';
import { textArea } from '../page/fields.ts';
import { confirmation } from '../page/forms.ts';
import { time } from '../page/time.ts';
import { type Move, movesOf } from './moves.ts';

/** A decision whose reason was found wrong: what was typed, and what to tell. */
export type WrongReason = { to: string; reason: string; message: string };

export type DecisionForms = {
  wrong?: WrongReason | undefined;
  /** Where to go on afterwards, if not to the payment's page. */
  back?: 'reviews';
};

/** What an administrator may do with a payment now, as a part of its page. */
export function decisions(
  csrf: string,
  payment: StoredPayment,
  { wrong, reviewTimeoutSeconds }: { wrong?: WrongReason | undefined; reviewTimeoutSeconds: number },
): SafeHtml {
  if (movesOf(payment).length === 0) return nothing;
  const { reviewSince } = payment;
  const deadline = reviewSince && new Date(reviewSince.getTime() + reviewTimeoutSeconds * 1_000);
  return html`<section class="card"><h2>${deadline ? 'Decidir' : 'Ações'}</h2>
    ${deadline ? html`<p class="muted">Sem uma decisão até ${time(deadline)}, o valor é devolvido.</p>` : nothing}
    <div class="actions">${decisionForms(csrf, payment, { wrong })}</div></section>`;
}

/** A button for each move that is allowed, with a reason that is kept in the history. */
export function decisionForms(csrf: string, payment: StoredPayment, options: DecisionForms): SafeHtml[] {
  return movesOf(payment).map((move) => form(csrf, payment.id, move, options));
}

function form(csrf: string, id: string, move: Move, { wrong, back }: DecisionForms): SafeHtml {
  const failed = wrong?.to === move.to ? wrong : undefined;
  const reason = textArea({
    id: `reason-${move.to}-${id}`,
    name: 'reason',
    label: 'Motivo',
    hint: 'Fica no histórico do pagamento.',
    rows: 2,
    value: failed?.reason,
    error: failed?.message,
  });
  const fields = html`<input type="hidden" name="status" value="${move.to}">
    ${back ? html`<input type="hidden" name="back" value="${back}">` : nothing}${reason}`;
  const question = { csrf, action: `/panel/payments/${id}/status`, id: `move-${move.to}-${id}`, ...move };
  return html`${failed ? alert('error', 'O estado não foi alterado.') : nothing}
    ${confirmation({ ...question, open: failed !== undefined }, fields)}`;
}
