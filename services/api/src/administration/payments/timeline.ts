import type { HistoryEntry } from '@payments/database/payments/history';
import type { ChangeAction } from '@payments/database/record/change-actions';
import type { Change } from '@payments/database/record/changes';
import type { Refund } from '@payments/database/refunds/refunds';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { time } from '../../pages/time.ts';
import { statusBadge } from '../kit/badge.ts';
import { actionName } from '../record/names.ts';
import { returnProgress } from '../refunds/parts.ts';
import { actorName, reasonOf } from './names.ts';
import type { Picture } from './picture-page.ts';

type Entry = { at: Date; what: SafeHtml; who: string; why: string | null; requestId: string | null };

// The events already show these changes.
const events = new Set<ChangeAction>(['payment.created', 'payment.status_changed']);

/** The section with a payment's history. */
export function timeline({ history, changes, refunds }: Picture): SafeHtml {
  const others = changes.filter(({ action }) => !events.has(action));
  const entries = [...history.map((event) => ofEvent(event, refunds)), ...others.map(ofChange)].sort(
    (a, b) => a.at.getTime() - b.at.getTime(),
  );
  return html`<section class="card"><h2>Histórico</h2>
    <ol class="timeline">${entries.map(item)}</ol></section>`;
}

function ofEvent(event: HistoryEntry, refunds: readonly Refund[]): Entry {
  const { previousStatus, status, actor, author, occurredAt: at, requestId } = event;
  const what = previousStatus
    ? html`${statusBadge(previousStatus)} <span aria-hidden="true">→</span><span class="visually-hidden">para</span> ${statusBadge(status)}`
    : html`<strong>Criado</strong> ${statusBadge(status)}`;
  return { at, what, who: author ?? actorName(actor), why: why(event, refunds), requestId };
}

/** The reason of an event, with the refund's progress after a time-out. */
function why(event: HistoryEntry, refunds: readonly Refund[]): string | null {
  const reason = reasonOf(event);
  if (event.reason !== 'review_timeout') return reason;
  const progress = returnProgress(refunds.filter((refund) => refund.reason === 'review_timeout'));
  return progress ? `${reason} ${progress}` : reason;
}

function ofChange({ action, at, author, reason: why, requestId }: Change): Entry {
  const what = html`<strong>${actionName(action)}</strong>`;
  return { at, what, who: author ?? actorName('administrator'), why, requestId };
}

function item({ at, what, who, why, requestId }: Entry): SafeHtml {
  const request = requestId ? html` · requisição <span class="mono wrap">${requestId}</span>` : nothing;
  return html`<li>
    <p class="change">${what}</p>
    ${why ? html`<p class="wrap">${why}</p>` : nothing}
    <p class="muted small"><span class="wrap">${who}</span> · ${time(at)}${request}</p>
  </li>`;
}
