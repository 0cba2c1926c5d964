import type { AttemptResult } from '@payments/webhooks/attempt-result';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { failureWords } from '../deliveries/webhook-error.ts';
import { errorOf, type FieldError } from '../kit/form-values.ts';
import { postForm, textField } from '../kit/forms.ts';
import { alert } from '../kit/notices.ts';
import { badge } from '../kit/parts.ts';
import { stageName } from '../payments/names.ts';

/** The test of a receiver: its URL, and the answer or why nothing was sent. */
export type TestOutcome = { url: string; result?: AttemptResult; refused?: string };

type TestEvent = {
  csrf: string;
  store: { id: string };
  tested?: TestOutcome | undefined;
  wrong?: FieldError | undefined;
};

/** The form that sends a signed event to a receiver, and the receiver's answer. */
export function testEventSection({ csrf, store, tested, wrong }: TestEvent): SafeHtml {
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
    return html`<p role="alert">${badge('bad', 'Sem resposta')} ${stageName(result.stage)} (${failureWords(result.error)}), ${time}.</p>`;
  const { status, responseExcerpt } = result;
  const isGood = status >= 200 && status < 300;
  return html`<p role="status">${badge(isGood ? 'good' : 'bad', `HTTP ${status}`)} Respondeu ${time}.
      ${isGood ? 'A entrega teria sido aceita.' : 'A entrega seria tentada de novo.'}</p>
    ${responseExcerpt ? html`<div class="excerpt"><code>${responseExcerpt}</code></div>` : nothing}`;
}
