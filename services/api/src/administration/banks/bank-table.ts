import { may } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import { money, time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { confirmation, postForm, textArea } from '../kit/forms.ts';
import { bankBadge } from '../kit/parts.ts';
import { numeric, table } from '../kit/tables.ts';
import { bankError } from './bank-error.ts';
import type { ShownBank } from './read-banks.ts';

/** A refused pause: the typed reason and what is wrong with it. */
export type UndonePause = { id: string; reason: string; wrong: string };

const columns = [
  'Banco',
  'Status',
  'Desde',
  numeric('Aguardam código'),
  numeric('Cobranças hoje'),
  numeric('Valor hoje'),
  'Último erro',
];

type View = { actor: Pick<Actor, 'role'>; undone: UndonePause | undefined };

export function bankTable(csrf: string, banks: readonly ShownBank[], { actor, undone }: View): SafeHtml {
  const mayPause = may(actor.role, 'pauseBank');
  const rows = banks.map((bank) => [
    html`<strong>${bank.id}</strong><span class="small muted block">${bank.psp}</span>`,
    html`${bankBadge(bank.state)}${pauseReason(bank)}`,
    time(bank.since),
    html`${bank.waiting.toLocaleString('pt-BR')}`,
    html`${bank.chargesToday.toLocaleString('pt-BR')}`,
    money(bank.amountToday),
    html`<span class="small wrap">${errorOf(bank)}</span>`,
    ...(mayPause ? [bank.isPaused ? resume(csrf, bank) : pause(csrf, bank, undone)] : []),
  ]);
  return table('Bancos', mayPause ? [...columns, 'Ação'] : columns, rows);
}

function pauseReason({ pausedReason }: ShownBank): SafeHtml {
  return pausedReason === null ? nothing : html`<span class="small wrap block">${pausedReason}</span>`;
}

/** @returns the last error of a bank in words, or why it gets nothing */
export function errorOf({ isConfigured, lastError }: ShownBank): string {
  if (!isConfigured) return 'Este banco não está mais configurado. O que ele tem espera até que volte.';
  return lastError === null ? '–' : bankError(lastError);
}

function pause(csrf: string, { id }: ShownBank, undone: UndonePause | undefined): SafeHtml {
  const typed = undone?.id === id ? undone : undefined;
  const question = {
    csrf,
    action: `/panel/banks/${id}/pause`,
    id: `pause-${id}`,
    label: 'Pausar',
    warning: `Nenhuma cobrança nova vai para ${id} até que alguém o retome. As cobranças e devoluções que ele já tem continuam.`,
    confirm: `Pausar ${id}`,
    open: typed !== undefined,
  };
  const reason = {
    id: `reason-${id}`,
    name: 'reason',
    label: 'Motivo',
    rows: 2,
    required: true,
    value: typed?.reason,
    error: typed?.wrong,
  };
  return confirmation(question, textArea(reason));
}

function resume(csrf: string, { id }: ShownBank): SafeHtml {
  const label = html`Retomar<span class="visually-hidden"> ${id}</span>`;
  return postForm(
    { csrf, action: `/panel/banks/${id}/resume` },
    html`<button class="button small">${label}</button>`,
  );
}
