import type { DayFigures, Difference } from '@payments/domain/compare-day';
import { dayText, formatBrl, money, time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { postForm } from '../kit/forms.ts';
import { emptyState, numeric, table } from '../kit/tables.ts';
import type { ComparedDay } from './check.ts';

const kinds: Record<Difference['kind'], string> = {
  missing_here: 'Pix que só o banco tem',
  missing_at_bank: 'Pix que só nós temos',
  amount_differs: 'Pix com valores diferentes',
  unreadable: 'Pix que não pudemos ler',
  refund_missing_here: 'Devolução que só o banco tem',
  refund_missing_at_bank: 'Devolução que só nós temos',
  refund_amount_differs: 'Devolução com valores diferentes',
  refund_unreadable: 'Devolução que não pudemos ler',
};

/** The bank's day beside ours, and every difference. */
export function dayPage(
  csrf: string,
  date: string,
  day: ComparedDay | undefined,
  notice: SafeHtml,
): SafeHtml {
  return html`<p class="back"><a href="/panel/reconciliation">Conciliação</a></p>
    <h1>${dayText(date)}</h1>${notice}
    ${day ? compared(day) : html`<p class="muted">Este dia ainda não foi conferido.</p>`}
    ${postForm({ csrf, action: `/panel/reconciliation/${date}` }, html`<button class="button">Conferir agora</button>`)}`;
}

function compared({ checkedAt, isFinal, atBank, ours, others, differences }: ComparedDay): SafeHtml {
  const sides = table(
    'O dia no banco e aqui',
    ['Onde', numeric('Pix'), numeric('Devoluções')],
    [side('No banco', atBank), side('Aqui', ours)],
  );
  return html`<p class="muted">Conferido em ${time(checkedAt)}${isFinal ? '' : ', antes do fim do dia. O serviço confere o dia de novo depois que ele terminar'}.</p>
    <div class="card flush">${sides}</div>
    ${others.count === 0 ? nothing : html`<p class="muted">A conta recebeu também ${others.count} Pix que não são de cobranças deste serviço: ${formatBrl(others.amount)}.</p>`}
    <section class="card flush"><h2>Diferenças</h2>${differenceTable(differences, isFinal)}</section>`;
}

function side(name: string, { pixCount, pixAmount, refundCount, refundAmount }: DayFigures): SafeHtml[] {
  return [html`<strong>${name}</strong>`, sum(pixCount, pixAmount), sum(refundCount, refundAmount)];
}

const sum = (count: number, amount: number) =>
  html`${money(amount)} <span class="small muted">em ${count.toLocaleString('pt-BR')}</span>`;

const columns = ['O que difere', numeric('No banco'), numeric('Aqui'), 'Pagamento', 'endToEndId e txid'];

function differenceTable(differences: readonly Difference[], isFinal: boolean): SafeHtml {
  if (differences.length === 0)
    return isFinal
      ? emptyState('Nenhuma diferença', 'O banco e o serviço dizem o mesmo, até o centavo.')
      : emptyState('Nenhuma diferença até agora', 'O dia ainda não tinha terminado.');
  const rows = differences.map(
    ({ kind, endToEndId, refundId, paymentId, txid, bankAmount = null, ourAmount = null }) => [
      html`${kinds[kind]}`,
      money(bankAmount),
      money(ourAmount),
      paymentId
        ? html`<a href="/panel/payments/${paymentId}">Ver pagamento</a>`
        : html`<span class="muted">Nenhum</span>`,
      html`<span class="mono wrap">${endToEndId ?? 'sem endToEndId'}</span><span class="mono small muted wrap block">${refundId ? `devolução ${refundId}` : (txid ?? '–')}</span>`,
    ],
  );
  return table('Diferenças', columns, rows);
}
