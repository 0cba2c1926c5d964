import type { Change } from '@payments/database/record/changes';
import { browserName } from '../../access/actor.ts';
import { time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { emptyState, table } from '../kit/tables.ts';
import { changeName, valuesText } from './names.ts';

const columns = ['Quando', 'Ação', 'Quem', 'De onde', 'De', 'Para', 'Motivo'];

/** The table of administrators' changes. */
export function changeTable(changes: readonly Change[]): SafeHtml {
  if (changes.length === 0)
    return emptyState('Nenhum registro', 'O que se faz aqui ou pela API fica registrado.');
  const rows = changes.map((change) => [
    time(change.at),
    html`${subject(change)}`,
    author(change),
    origin(change),
    text(valuesText(change.from)),
    text(valuesText(change.to)),
    text(change.reason ?? ''),
  ]);
  return table('Auditoria', columns, rows);
}

function subject(change: Change): SafeHtml {
  const { action, paymentId, storeId, subject: bank } = change;
  const name = changeName(change);
  if (action === 'bank.paused' || action === 'bank.resumed')
    return html`<a href="/panel/banks">${name}: ${bank}</a>`;
  if (paymentId) return html`<a href="/panel/payments/${paymentId}">${name}</a>`;
  return storeId ? html`<a href="/panel/stores/${storeId}">${name}</a>` : html`${name}`;
}

function author({ author, via }: Change): SafeHtml {
  const where = via === 'panel' ? 'painel' : 'API';
  return html`<span class="author">${author ?? 'Não identificado'}</span> <span class="muted small block">${where}</span>`;
}

/** The address and the browser of the request. */
function origin({ address, browser }: Change): SafeHtml {
  if (address === null) return text('');
  return html`<span class="small">${address}</span>${browser ? html`<br><span class="muted small wrap" title="${browser}">${browserName(browser).replaceAll(' ', '\u00a0')}</span>` : nothing}`;
}

function text(value: string): SafeHtml {
  return value === '' ? html`<span class="muted">–</span>` : html`<span class="words">${value}</span>`;
}
