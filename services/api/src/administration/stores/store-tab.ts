import type { WebhookSecrets } from '@payments/database/stores/webhook-secrets';
import { may } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import { formatBrl, time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { confirmation, postForm } from '../kit/forms.ts';
import { alert } from '../kit/notices.ts';
import { copyable } from '../kit/parts.ts';
import { firstSteps } from './first-steps.ts';
import { storeFields } from './store-form.ts';
import { type TestOutcome, testEventSection } from './test-event-section.ts';
import { type TokenSection, tokenSection } from './token-section.ts';

export type StoreTab = TokenSection & {
  actor: Actor;
  publicUrl: string;
  /** Without any payment. */
  isNew: boolean;
  /** Present after a test event. */
  tested?: TestOutcome;
  notice: SafeHtml;
  values: Record<string, string>;
  /** Ids of the configured banks. */
  banks: readonly string[];
  /** Shown after a click on “Mostrar segredo”. */
  secrets?: WebhookSecrets | undefined;
};

/** The store tab (Contract: bearer token): tokens, webhook secret, limits and fees, activation. */
export function storeTab(tab: StoreTab): SafeHtml {
  const { role } = tab.actor;
  return html`${tab.notice}
    ${may(role, 'manageTokens') ? html`${tokenSection(tab)}${tab.isNew || tab.issued ? firstSteps(tab) : nothing}` : nothing}
    ${may(role, 'manageWebhookSecret') ? html`${secretSection(tab)}${testEventSection(tab)}` : nothing}
    ${may(role, 'changeStores') ? html`${settingsSection(tab)}${activeSection(tab)}` : termsSection(tab)}`;
}

function secretSection({ csrf, store, secrets }: StoreTab): SafeHtml {
  const path = `/panel/stores/${store.id}`;
  const shown = secrets
    ? html`<div data-address="${path}/store#webhook-secret">${copyable('Segredo em uso', secrets.secret)}
        ${secrets.previousSecret ? html`<p class="muted">O segredo anterior também assina até ${time(secrets.previousUntil)}:</p>${copyable('Segredo anterior', secrets.previousSecret)}` : nothing}</div>`
    : html`${postForm({ csrf, action: `${path}/webhook-secret/show#webhook-secret` }, html`<button class="button">Mostrar segredo</button>`)}
      <p class="muted small">Fica registrado quem o viu e quando.</p>`;
  return html`<section class="card" id="webhook-secret"><h2>Segredo dos webhooks</h2>
    <p class="muted">Com ele a loja confere a assinatura de cada webhook (Standard Webhooks).</p>
    <div class="stack">${shown}
    ${confirmation({
      csrf,
      action: `${path}/webhook-secret/rotate#webhook-secret`,
      id: 'rotate-secret',
      label: 'Trocar segredo',
      warning:
        'O novo segredo passa a assinar agora. O atual também assina por mais 24 horas. Um segredo mais antigo deixa de assinar.',
      confirm: 'Trocar segredo',
    })}</div></section>`;
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

function settingsSection({ csrf, store, values, banks, wrong }: StoreTab): SafeHtml {
  return html`<section class="card" id="settings"><h2>Limites, taxas e bancos</h2>
    ${wrong && wrong.field !== 'expiresAt' && wrong.field !== 'webhookUrl' ? alert('error', 'Nada foi alterado. Corrija o campo indicado.') : nothing}
    ${postForm(
      { csrf, action: `/panel/stores/${store.id}` },
      html`${storeFields(values, banks, wrong)}<button class="button primary">Salvar</button>`,
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
