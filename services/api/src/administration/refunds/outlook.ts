import type { Refund } from '@payments/database/refunds/refunds';
import { refusals } from '@payments/settlement/refusals';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { badge, refundBadge } from '../kit/badge.ts';

/** A refund's state, with a mark if it waits for a person. */
export function refundStatus({
  state,
  owed,
  lastError,
}: Pick<Refund, 'state' | 'owed' | 'lastError'>): SafeHtml {
  const isOver = lastError === refusals.windowOver;
  const due = badge('wait', isOver ? 'Devida' : 'Devida: peça de novo');
  return html`${refundBadge(state)}${owed === null ? nothing : html` ${due}`}`;
}

type Outlook = Pick<Refund, 'state' | 'wanted' | 'owed' | 'orderAgainAt'>;

/** The next step of a refused refund: the missing amount, the time of the automatic new order, or none. */
export function outlook({ state, wanted, owed, orderAgainAt }: Outlook): SafeHtml {
  if (owed !== null) return html`<span class="small block">Faltam ${money(owed)}.</span>`;
  if (state === 'failed' && wanted === 0)
    return html`<span class="small block">Não será pedida de novo.</span>`;
  if (orderAgainAt === null) return nothing;
  return html`<span class="small block">Será pedida de novo em ${time(orderAgainAt)}</span>`;
}
