import type { HistoryEntry } from '@payments/database/history';
import { html, nothing, type SafeHtml } from '../html.ts';
import { statusBadge } from '../page/badge.ts';
import { time } from '../page/time.ts';
import { actorName, reasonOf } from './names.ts';

/** A payment's history: what changed, when, who or what did it, and why. */
export function timeline(history: readonly HistoryEntry[]): SafeHtml {
  return html`<section class="card"><h2>Histórico</h2>
    <ol class="timeline">${history.map(entry)}</ol></section>`;
}

function entry(one: HistoryEntry): SafeHtml {
  const { previousStatus, status, actor, author, occurredAt, requestId } = one;
  const reason = reasonOf(one);
  const change = previousStatus
    ? html`${statusBadge(previousStatus)} <span class="arrow" aria-label="para">→</span> ${statusBadge(status)}`
    : html`<strong>Criado</strong> ${statusBadge(status)}`;
  return html`<li>
    <p class="change">${change}</p>
    ${reason ? html`<p class="wrap">${reason}</p>` : nothing}
    <p class="muted small">${author ?? actorName(actor)} · ${time(occurredAt)}${requestId ? html` · requisição <span class="mono wrap">${requestId}</span>` : nothing}</p>
  </li>`;
}
