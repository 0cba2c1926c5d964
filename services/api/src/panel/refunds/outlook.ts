import type { Refund } from '@payments/database/refunds/refunds';
import { html, nothing, type SafeHtml } from '../../html.ts';
import { badge, refundBadge } from '../page/badge.ts';
import { money } from '../page/money.ts';
import { time } from '../page/time.ts';

/** A refund's state, with a mark if it waits for a person. */
export function refundStatus({ state, owed }: Pick<Refund, 'state' | 'owed'>): SafeHtml {
  return html`${refundBadge(state)}${owed === null ? nothing : html` ${badge('wait', 'Devida: peça de novo')}`}`;
}

/** The next step of a refused refund: the missing amount, or the time of the automatic new order. */
export function outlook({ owed, orderAgainAt }: Pick<Refund, 'owed' | 'orderAgainAt'>): SafeHtml {
  if (owed !== null) return html`<span class="small block">Faltam ${money(owed)}.</span>`;
  if (orderAgainAt === null) return nothing;
  return html`<span class="small block">Será pedida de novo em ${time(orderAgainAt)}</span>`;
}
