import { newId } from '@payments/domain/identifiers';
import { refundableAmount } from '@payments/domain/refunds';
import { html, type SafeHtml } from '../../pages/html.ts';
import { formatBrl, money } from '../../pages/money.ts';
import { numberText } from '../kit/form-values.ts';
import { postForm } from '../kit/forms.ts';
import type { Picture } from '../payments/picture-page.ts';

/** The requested refund; amount in centavos. `isAll`: all that is left, which follows what is left. */
export type AskedRefund = { amount: number; isAll: boolean; reason: string | null };

/** Shows the refund before its order. The form's key makes sending it twice harmless. */
export function refundConfirmation(
  csrf: string,
  picture: Picture,
  { amount, isAll, reason }: AskedRefund,
): SafeHtml {
  const { payment, store } = picture;
  const path = `/panel/payments/${payment.id}`;
  const kept = refundableAmount(picture) - amount;
  const entry = (name: string, value: SafeHtml) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const after =
    kept === 0
      ? 'A devolução é total: quando o banco a fizer, o pagamento passa a “Não aprovado”.'
      : 'O status do pagamento fica como está.';
  return html`<p class="back"><a href="${path}">Pagamento de ${formatBrl(payment.amount)}</a></p>
    <h1>Devolver ${money(amount)} a quem pagou?</h1>
    <div class="card narrow">
      <dl class="details">
        ${entry('Loja', html`<span class="wrap">${store?.name ?? payment.storeId}</span>`)}
        ${entry('Valor a devolver', money(amount))}
        ${entry('Fica com a loja', money(kept))}
        ${entry('Motivo', reason ? html`<span class="wrap">${reason}</span>` : html`<span class="muted">–</span>`)}
      </dl>
      <p>${after} Isto não pode ser desfeito.</p>
      ${postForm(
        { csrf, action: `${path}/refunds` },
        html`<input type="hidden" name="key" value="${newId()}">
          <input type="hidden" name="amount" value="${isAll ? '' : numberText(amount / 100)}">
          <input type="hidden" name="shown" value="${isAll ? numberText(amount / 100) : ''}">
          <input type="hidden" name="reason" value="${reason ?? ''}">
          <div class="actions"><button class="button danger solid">Devolver ${formatBrl(amount)}</button>
          <a class="button quiet" href="${path}">Cancelar</a></div>`,
      )}
    </div>`;
}
