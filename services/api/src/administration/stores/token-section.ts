import type { Store } from '@payments/database/stores/stores';
import type { Token } from '@payments/database/stores/tokens';
import { judgeToken } from '@payments/domain/tokens';
import { time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { errorOf, type FieldError } from '../kit/form-values.ts';
import { confirmation, momentField, postForm } from '../kit/forms.ts';
import { alert } from '../kit/notices.ts';
import { badge, copyable } from '../kit/parts.ts';
import { emptyState, table } from '../kit/tables.ts';
import type { IssuedToken } from './issue-token.ts';

export type TokenSection = {
  csrf: string;
  store: Store;
  tokens: readonly Token[];
  now: Date;
  wrong?: FieldError | undefined;
  /** A new token, shown only this once (Contract: bearer token). */
  issued?: IssuedToken | undefined;
};

/** The section with a store's tokens: a new one, the list without secrets, and the form for another. */
export function tokenSection({ csrf, store, tokens, now, issued, wrong }: TokenSection): SafeHtml {
  const action = `/panel/stores/${store.id}/tokens`;
  const isCurrentValid = tokens[0] && verdict(tokens[0], now) === 'valid';
  const expiry = momentField({
    name: 'expiresAt',
    label: 'Expira em',
    hint: 'Horário de Brasília. Em branco: não expira.',
    error: errorOf(wrong, 'expiresAt'),
  });
  const generate = isCurrentValid
    ? confirmation(
        {
          csrf,
          action,
          id: 'new-token',
          label: 'Gerar novo token',
          warning: 'O token em uso deixa de funcionar imediatamente. Isto não pode ser desfeito.',
          confirm: 'Gerar e invalidar o anterior',
        },
        expiry,
      )
    : postForm({ csrf, action }, html`${expiry}<button class="button primary">Gerar token</button>`);
  return html`<section class="card" id="tokens"><h2>Token de acesso</h2>
    <p class="muted">Identifica a loja na API. Só o mais recente é válido.</p>
    ${issued ? shownOnce(store, issued) : nothing}
    ${tokens.length === 0 ? emptyState('Nenhum token', 'Gere um token para que a loja use a API.') : tokenTable(csrf, store, tokens, now)}
    ${generate}</section>`;
}

function shownOnce(store: Store, { token }: IssuedToken): SafeHtml {
  return html`<div class="secret" data-address="/panel/stores/${store.id}/store#tokens">
    ${alert('done', html`<strong>Token gerado.</strong> Copie agora: ele não será mostrado de novo.`)}
    ${copyable('Token gerado', token)}</div>`;
}

function tokenTable(csrf: string, store: Store, tokens: readonly Token[], now: Date): SafeHtml {
  const columns = ['Status', 'Gerado em', 'Expira em', 'Último uso', 'Ação'];
  const rows = tokens.map((token) => [
    tokenBadge(token, now),
    time(token.createdAt),
    token.expiresAt ? time(token.expiresAt) : html`<span class="muted nowrap">Não expira</span>`,
    time(token.lastUsedAt),
    verdict(token, now) === 'valid' ? deactivation(csrf, store, token) : html`<span class="muted">–</span>`,
  ]);
  return html`<div class="inset">${table('Tokens, do mais recente ao mais antigo', columns, rows)}</div>`;
}

function deactivation(csrf: string, store: Store, token: Token): SafeHtml {
  return confirmation({
    csrf,
    action: `/panel/stores/${store.id}/tokens/${token.id}/deactivate`,
    id: `deactivate-${token.id}`,
    label: 'Desativar',
    warning: 'A loja perde o acesso à API com este token imediatamente. Isto não pode ser desfeito.',
    confirm: 'Desativar token',
  });
}

function verdict(token: Token, now: Date) {
  return judgeToken({ ...token, storeActive: true }, now);
}

function tokenBadge(token: Token, now: Date): SafeHtml {
  if (token.supersededAt) return badge('neutral', 'Substituído');
  if (token.deactivatedAt) return badge('bad', 'Desativado');
  return verdict(token, now) === 'valid' ? badge('good', 'Válido') : badge('bad', 'Expirado');
}
