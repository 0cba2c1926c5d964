import type { Store } from '@payments/database/stores/stores';
import type { Token } from '@payments/database/stores/tokens';
import type { WebhookSecrets } from '@payments/database/stores/webhook-secrets';
import { may } from '@payments/domain/roles';
import {
  type OptionalEvent,
  optionalEvents,
  type TokenDeed,
  tokenDeeds,
} from '@payments/domain/store-choices';
import { judgeToken } from '@payments/domain/tokens';
import type { AttemptResult } from '@payments/webhooks/attempt-result';
import type { Actor } from '../../access/actor.ts';
import { list } from '../../http/errors/errors.ts';
import { formatBrl, html, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { failureName, stageName } from '../deliveries/parts.ts';
import { errorOf, type FieldError, fieldsOf } from '../kit/form-values.ts';
import { checkbox, confirmation, momentField, postForm, shownField, textField } from '../kit/forms.ts';
import { alert, badge, copyable, tokenDeedNames } from '../kit/parts.ts';
import { emptyState, table } from '../kit/tables.ts';
import type { IssuedToken } from './actions.ts';
import { formOf, stateField, storeFields } from './parts.ts';

/** The form that was not saved because its fields were changed after its page was loaded. */
export type OutdatedForm = 'choices' | 'settings';

type StoreTab = TokenSection & {
  actor: Actor;
  publicUrl: string;
  /** Without any payment. */
  isNew: boolean;
  /** Present after a test event. */
  tested?: TestOutcome;
  notice: SafeHtml;
  outdated?: OutdatedForm;
  /** Ids of the configured banks. */
  banks: readonly string[];
  /** The webhook secret's last rotation. */
  rotation: string | null;
  /** Shown after a click on “Mostrar segredo”. */
  secrets?: WebhookSecrets | undefined;
};

/** The store tab (Contract: bearer token): tokens, webhook secret, limits and fees, activation. */
export function storeTab(tab: StoreTab): SafeHtml {
  const { role } = tab.actor;
  // The browser shows the top of the page after the settings' form, and the choices' section after theirs.
  return html`${tab.outdated === 'settings' ? alert('error', list.formOutdated.message) : tab.notice}
    ${may(role, 'manageTokens') ? html`${tokenSection(tab)}${tab.isNew || tab.issued ? firstSteps(tab) : nothing}` : nothing}
    ${may(role, 'manageWebhookSecret') ? html`${secretSection(tab)}${testEventSection(tab)}` : nothing}
    ${may(role, 'chooseForStore') ? choicesSection(tab) : chosenSection(tab)}
    ${may(role, 'changeStores') ? html`${settingsSection(tab)}${activeSection(tab)}` : termsSection(tab)}`;
}

function secretSection({ csrf, store, secrets, rotation, wrong }: StoreTab): SafeHtml {
  const overtaken = errorOf(wrong, 'lastRotation');
  const path = `/panel/stores/${store.id}`;
  const shown = secrets
    ? html`<div data-address="${path}/store#webhook-secret">${copyable('Segredo em uso', secrets.secret)}
        ${secrets.previousSecret ? html`<p class="muted">O segredo anterior também assina até ${time(secrets.previousUntil)}:</p>${copyable('Segredo anterior', secrets.previousSecret)}` : nothing}</div>`
    : html`${postForm({ csrf, action: `${path}/webhook-secret/show#webhook-secret` }, html`<button class="button">Mostrar segredo</button>`)}
      <p class="muted small">Fica registrado quem o viu e quando.</p>`;
  return html`<section class="card" id="webhook-secret"><h2>Segredo dos webhooks</h2>
    <p class="muted">Com ele a loja confere a assinatura de cada webhook (Standard Webhooks).</p>
    ${overtaken ? alert('error', overtaken) : nothing}
    <div class="stack">${shown}
    ${confirmation(
      {
        csrf,
        action: `${path}/webhook-secret/rotate#webhook-secret`,
        id: 'rotate-secret',
        label: 'Trocar segredo',
        warning:
          'O novo segredo passa a assinar agora. O atual também assina por mais 24 horas. Um segredo mais antigo deixa de assinar.',
        confirm: 'Trocar segredo',
      },
      stateField('lastRotation', rotation),
    )}</div></section>`;
}

const eventHints: Record<OptionalEvent, string> = {
  'payment.updated': 'O valor, as taxas ou o código de um pagamento mudaram, e o status não.',
  'refund.updated':
    'Uma devolução, da loja ou do banco, foi pedida, está em processamento, foi feita ou foi recusada.',
};
const deedLabels: Record<TokenDeed, string> = {
  refund: 'O token pode pedir devoluções',
  cancel: 'O token pode cancelar pagamentos pendentes',
};

/** The store's own choices: events beyond the contract's two, and what its token may do. */
function choicesSection({ csrf, store, values, wrong, outdated }: StoreTab): SafeHtml {
  const at = fieldsOf({ values, wrong });
  const limit = textField({
    ...at('refundLimitPerDay'),
    label: 'Devoluções por dia',
    prefix: 'R$',
    inputmode: 'decimal',
    hint: 'Soma do que os tokens da loja podem devolver num dia (horário de Brasília). Em branco: sem limite.',
  });
  const events = optionalEvents.map((name) =>
    checkbox({ ...at(name), label: `Enviar ${name} por webhook`, hint: eventHints[name] }),
  );
  const deeds = tokenDeeds.map((name) => checkbox({ ...at(name), label: deedLabels[name] }));
  return html`<section class="card" id="choices"><h2>Eventos e poderes do token</h2>
    <p class="muted">Sem estas escolhas, a loja recebe payment.created e payment.status_changed, e o token só cria e lê pagamentos.</p>
    ${outdated === 'choices' ? alert('error', list.formOutdated.message) : nothing}
    ${wrong?.field === 'refundLimitPerDay' ? alert('error', 'Nada foi alterado. Corrija o campo indicado.') : nothing}
    ${postForm(
      { csrf, action: `/panel/stores/${store.id}/choices#choices` },
      html`${shownField(formOf(store))}${events}${deeds}${limit}<button class="button primary">Salvar</button>`,
    )}</section>`;
}

/** The same, for those who can't choose. */
function chosenSection({ store }: StoreTab): SafeHtml {
  const entry = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const { events, tokenMay, refundLimitPerDay: limit } = store;
  return html`<section class="card" id="choices"><h2>Eventos e poderes do token</h2><dl class="details">
    ${entry('Eventos a mais por webhook', events.join(', ') || 'Nenhum')}
    ${entry('O token pode, além de criar e ler', tokenMay.map((deed) => tokenDeedNames[deed]).join(', ') || 'Nada')}
    ${entry('Devoluções por dia', limit === null ? 'Sem limite' : formatBrl(limit))}
  </dl></section>`;
}

/** The store's terms, for those who can't change them. */
function termsSection({ store, values }: StoreTab): SafeHtml {
  const reais = (name: string) => (values[name] ? `R$ ${values[name]}` : 'Nenhuma');
  const entry = (name: string, value: string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<section class="card" id="settings"><h2>Limites e taxas</h2><dl class="details">
    ${entry('Taxa percentual', values.feePercent ? `${values.feePercent} %` : 'Nenhuma')}
    ${entry('Taxa fixa', reais('feeFixed'))}
    ${entry('Valor máximo de um pagamento', formatBrl(store.maxAmount))}
    ${entry('Analisar a partir de', values.reviewAbove ? reais('reviewAbove') : 'Nenhum valor')}
  </dl></section>`;
}

const ofOtherForms = ['expiresAt', 'newestToken', 'lastRotation', 'webhookUrl', 'refundLimitPerDay'];

function settingsSection({ csrf, store, values, banks, wrong }: StoreTab): SafeHtml {
  return html`<section class="card" id="settings"><h2>Limites, taxas e bancos</h2>
    ${wrong && !ofOtherForms.includes(wrong.field) ? alert('error', 'Nada foi alterado. Corrija o campo indicado.') : nothing}
    ${postForm(
      { csrf, action: `/panel/stores/${store.id}` },
      html`${shownField(formOf(store))}${storeFields(values, banks, wrong)}<button class="button primary">Salvar</button>`,
    )}</section>`;
}

function activeSection({ csrf, store }: StoreTab): SafeHtml {
  const action = `/panel/stores/${store.id}/active`;
  const value = html`<input type="hidden" name="active" value="${store.active ? 'false' : 'true'}">`;
  return html`<section class="card" id="active"><h2>Situação</h2>
    ${
      store.active
        ? html`<p class="muted">A loja está ativa: o seu token cria e lê pagamentos.</p>
          ${confirmation(
            {
              csrf,
              action,
              id: 'deactivate-store',
              label: 'Desativar loja',
              warning:
                'A API passa a responder “Loja inativa.” a esta loja. Pagamentos já criados ainda podem ser pagos.',
              confirm: 'Desativar loja',
            },
            value,
          )}`
        : html`<p class="muted">A loja está inativa: a API recusa o seu token.</p>
          ${postForm({ csrf, action }, html`${value}<button class="button primary">Ativar loja</button>`)}`
    }</section>`;
}

type TokenSection = {
  csrf: string;
  store: Store;
  tokens: readonly Token[];
  now: Date;
  values: Record<string, string>;
  wrong?: FieldError | undefined;
  /** A new token, shown only this once (Contract: bearer token). */
  issued?: IssuedToken | undefined;
};

/** The section with a store's tokens: a new one, the list without secrets, and the form for another. */
function tokenSection({ csrf, store, tokens, now, issued, values, wrong }: TokenSection): SafeHtml {
  const action = `/panel/stores/${store.id}/tokens`;
  const newest = tokens.find(({ supersededAt }) => supersededAt === null);
  const isCurrentValid = newest && verdict(newest, now) === 'valid';
  const overtaken = errorOf(wrong, 'newestToken');
  const expiry = momentField({
    ...fieldsOf({ values, wrong })('expiresAt'),
    label: 'Expira em',
    hint: 'Horário de Brasília. Em branco: não expira.',
  });
  const fields = html`${stateField('newestToken', newest?.id ?? null)}${expiry}`;
  const generate = isCurrentValid
    ? confirmation(
        {
          csrf,
          action,
          id: 'new-token',
          label: 'Gerar novo token',
          warning: 'O token em uso deixa de funcionar imediatamente. Isto não pode ser desfeito.',
          confirm: 'Gerar e invalidar o anterior',
          open: wrong?.field === 'expiresAt',
        },
        fields,
      )
    : postForm({ csrf, action }, html`${fields}<button class="button primary">Gerar token</button>`);
  return html`<section class="card" id="tokens"><h2>Token de acesso</h2>
    <p class="muted">Identifica a loja na API. Só o mais recente é válido.</p>
    ${overtaken ? alert('error', overtaken) : nothing}
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

/** The test of a receiver: its URL, and the answer or why nothing was sent. */
export type TestOutcome = { url: string; result?: AttemptResult; refused?: string };

type TestEvent = {
  csrf: string;
  store: { id: string };
  tested?: TestOutcome | undefined;
  wrong?: FieldError | undefined;
};

/** The form that sends a signed event to a receiver, and the receiver's answer. */
function testEventSection({ csrf, store, tested, wrong }: TestEvent): SafeHtml {
  const field = textField({
    name: 'webhookUrl',
    label: 'URL do webhook',
    type: 'url',
    required: true,
    value: tested?.url,
    hint: 'Recebe um evento payment.created assinado com o segredo da loja. O pagamento é fictício.',
    error: errorOf(wrong, 'webhookUrl'),
  });
  return html`<section class="card" id="test-event"><h2>Testar o webhook</h2>
    ${postForm(
      { csrf, action: `/panel/stores/${store.id}/test-event#test-event` },
      html`${field}<button class="button">Enviar evento de teste</button>`,
    )}
    ${tested ? outcome(store.id, tested) : nothing}</section>`;
}

function outcome(id: string, { result, refused }: TestOutcome): SafeHtml {
  const said = result ? answer(result) : refused ? alert('error', refused) : nothing;
  return html`<div data-address="/panel/stores/${id}/store#test-event">${said}</div>`;
}

function answer(result: AttemptResult): SafeHtml {
  const time = `em ${Math.round(result.durationMs).toLocaleString('pt-BR')} ms`;
  if (result.outcome === 'failed')
    return html`<p role="alert">${badge('bad', 'Sem resposta')} ${stageName(result.stage)} (${failureName(result)}), ${time}.</p>`;
  const { status, responseExcerpt } = result;
  const isGood = status >= 200 && status < 300;
  return html`<p role="status">${badge(isGood ? 'good' : 'bad', `HTTP ${status}`)} Respondeu ${time}.
      ${isGood ? 'A entrega teria sido aceita.' : 'A entrega seria tentada de novo.'}</p>
    ${responseExcerpt ? html`<div class="excerpt"><code>${responseExcerpt}</code></div>` : nothing}`;
}

type FirstSteps = { publicUrl: string; issued?: IssuedToken | undefined };

/** The way from a token to a paid charge, with lines to copy. */
function firstSteps({ publicUrl, issued }: FirstSteps): SafeHtml {
  const url = `${publicUrl}/api-public/payments`;
  const authorization = `-H 'Authorization: Bearer ${issued?.token ?? 'SEU_TOKEN'}'`;
  const create = `curl ${url} ${authorization} -H 'Content-Type: application/json' -d '{"amount": 10}'`;
  const read = `curl ${url}/ID_DO_PAGAMENTO ${authorization}`;
  return html`<section class="card" id="first-steps"><h2>Primeiros passos</h2>
    <ol class="steps">
      <li><p>Crie um pagamento de R$ 10,00:</p>${copyable('Comando que cria um pagamento', create)}</li>
      <li><p>Mostre ao cliente o <code>qrCodeUrl</code> ou o <code>qrCopyPaste</code> da resposta.</p></li>
      <li><p>Leia o status do pagamento:</p>${copyable('Comando que lê um pagamento', read)}</li>
      <li><p>Receba cada mudança de status por webhook: envie uma <code>webhookUrl</code> na criação e teste-a abaixo.</p></li>
    </ol>
    <p class="muted">Endereço da API: <code class="wrap">${publicUrl}</code>. <a href="${publicUrl}/docs">Documentação</a></p></section>`;
}
