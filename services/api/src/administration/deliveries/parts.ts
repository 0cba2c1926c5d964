import type { Attempt } from '@payments/database/deliveries/record';
import type { DeliveryError, DeliveryErrorCode, FailedStage } from '@payments/domain/delivery-error';
import { type EventType, webhookBody } from '@payments/domain/events';
import { may } from '@payments/domain/roles';
import { html, nothing, type SafeHtml, time } from '../../pages/html.ts';
import type { KindInLink } from '../kit/filters.ts';
import { postForm } from '../kit/forms.ts';
import { tabs } from '../kit/layout.ts';
import { badge, deliveryBadge } from '../kit/parts.ts';
import { emptyState, linkTo, numeric, table } from '../kit/tables.ts';
import type { PaymentInFull } from '../payments/actions.ts';
import type { PaymentState } from '../payments/parts.ts';

/** Why an attempt of a webhook failed, in the panel's words. The compiler finds a stage or a code without words. */

const stages: Record<FailedStage, string> = {
  signature: 'Falha na assinatura',
  url: 'URL inválida',
  address: 'Endereço não permitido',
  dns: 'Nome não encontrado',
  connect: 'Não foi possível conectar',
  tls: 'Falha no TLS',
  timeout: 'Tempo esgotado',
  response: 'Resposta inválida',
};

const lost = 'A tentativa se perdeu com o processo que a fazia.';

const words: Record<DeliveryErrorCode, string> = {
  unsigned: 'o webhook não pôde ser assinado',
  not_a_url: 'não é uma URL',
  not_http: 'não é http nem https',
  plain_http: 'http sem criptografia não é permitido',
  credentials_in_url: 'usuário ou senha na URL',
  not_allowed: 'endereço interno',
  name_unresolved: 'o nome não pôde ser resolvido',
  name_without_address: 'o nome não tem endereço',
  name_not_found: 'o nome não existe',
  connection_refused: 'conexão recusada',
  connection_reset: 'conexão interrompida',
  connection_closed: 'conexão encerrada',
  connection_timed_out: 'sem resposta à conexão',
  host_unreachable: 'endereço inalcançável',
  network_unreachable: 'rede inalcançável',
  sender_closed: 'o serviço estava parando',
  not_connected_in_time: 'não conectou a tempo',
  no_response_in_time: 'não respondeu a tempo',
  response_incomplete: 'a resposta não terminou a tempo',
  response_too_long: 'resposta longa demais',
  headers_too_large: 'cabeçalhos grandes demais',
  not_http_response: 'a resposta não é HTTP',
  failed: 'falhou',
  system: '',
  status: 'Respondeu HTTP ',
  lost,
  abandoned: lost,
};

export const stageName = (stage: FailedStage): string => stages[stage];

/** @returns the failure without its stage; a system's error code stays as it is */
export const failureName = ({ code, detail = '' }: Pick<DeliveryError, 'code' | 'detail'>): string =>
  `${words[code]}${detail}`;

/** @returns why an attempt failed, with its stage */
export function deliveryErrorName(error: DeliveryError): string {
  const { stage } = error;
  const what = failureName(error);
  return stage === null || stage === 'lost' ? what : `${stageName(stage)}: ${what}`;
}

const views = [
  { name: 'ledger', href: '/panel/deliveries', label: 'Entregas' },
  { name: 'endpoints', href: '/panel/deliveries/endpoints', label: 'Destinos com falhas' },
] as const;

/** The tabs of the webhook pages. */
export function deliveryTabs(current: (typeof views)[number]['name'], kind: KindInLink): SafeHtml {
  const links = views.map((view) => ({ ...view, href: linkTo(view.href, kind) }));
  return tabs('Entregas', links, current);
}

export const eventNames: Record<EventType, string> = {
  'payment.created': 'Criação',
  'payment.status_changed': 'Mudança de status',
  'payment.updated': 'Mudança de valor ou código',
  'refund.updated': 'Devolução',
};
const shortest = 60;
const none = html`<span class="muted">–</span>`;
const columns = ['Tentativa', 'Início', numeric('Duração'), 'Resultado', 'Resposta'];

/** The section with a payment's webhooks and their attempts. */
export function deliverySection(
  csrf: string,
  { payment, deliveries, contents }: PaymentInFull,
  { actor }: Pick<PaymentState, 'actor'>,
): SafeHtml {
  const again = may(actor.role, 'redeliver') ? csrf : undefined;
  const empty = payment.webhookUrl
    ? emptyState('Nenhuma entrega ainda', 'A primeira tentativa começa em instantes.')
    : emptyState('Sem webhook', 'Este pagamento foi criado sem webhookUrl.');
  return html`<section class="card"><h2>Entregas</h2>
    ${deliveries.length === 0 ? empty : html`<ul class="deliveries">${deliveries.map((one) => item(again, one, contents))}</ul>`}
  </section>`;
}

function item(
  csrf: string | undefined,
  { id, paymentId, event, state, nextAttemptAt, url, attempts }: PaymentInFull['deliveries'][number],
  contents: PaymentInFull['contents'],
): SafeHtml {
  const content = contents.get(id);
  const action = `/panel/payments/${paymentId}/deliveries/${id}/redeliver`;
  return html`<li>
    <div class="delivery-head"><p><strong>${eventNames[event]}</strong> ${deliveryBadge(state)}</p>
      ${csrf === undefined ? nothing : postForm({ csrf, action }, html`<button class="button small">Enviar de novo</button>`)}</div>
    <p class="muted small"><span class="wrap">${url}</span></p>
    <p class="muted small mono wrap">webhook-id ${id}</p>
    ${state === 'pending' && nextAttemptAt ? html`<p class="small">Próxima tentativa: ${time(nextAttemptAt)}</p>` : nothing}
    <details class="excerpt small"><summary>Corpo enviado</summary><code>${content ? webhookBody(content) : ''}</code></details>
    ${attempts.length === 0 ? nothing : table('Tentativas', columns, attempts.map(attemptRow))}
  </li>`;
}

function attemptRow(attempt: Attempt): SafeHtml[] {
  const { number, startedAt, durationMs, responseExcerpt } = attempt;
  return [
    html`${number}`,
    time(startedAt),
    durationMs === null ? none : html`${durationMs.toLocaleString('pt-BR')} ms`,
    outcome(attempt),
    responseExcerpt ? excerpt(responseExcerpt) : none,
  ];
}

function outcome({ statusCode, error }: Attempt): SafeHtml {
  if (statusCode !== null)
    return badge(statusCode >= 200 && statusCode < 300 ? 'good' : 'bad', `HTTP ${statusCode}`);
  if (error === null) return badge('busy', 'Em andamento');
  const why = deliveryErrorName(error);
  return html`${badge('bad', 'Sem resposta')} <span class="small wrap block">${why}</span>`;
}

function excerpt(text: string): SafeHtml {
  const code = html`<code>${text}</code>`;
  return text.length <= shortest
    ? html`<div class="excerpt">${code}</div>`
    : html`<details class="excerpt"><summary>${text.slice(0, shortest)}…</summary>${code}</details>`;
}
