import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Store } from '@payments/database/stores/stores';
import { newId } from '@payments/domain/identifiers';
import { authorOf } from '../../access/author.ts';
import { storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { asApiError } from '../../http/errors/error-answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { attempt, type FieldError, fieldsOf, numberFrom, textOf, typedIn } from '../kit/form-values.ts';
import { postForm, textArea, textField } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert } from '../kit/notices.ts';
import { storeParams } from '../parameters.ts';
import { chargeForStore } from './actions.ts';

type Typed = { values: Record<string, string>; wrong?: FieldError; refused?: string };

/** The form for a payment by an administrator (`isPublic` false). */
export const newPaymentPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  const page = (store: Store, typed: Typed) =>
    ({
      title: 'Criar pagamento',
      section: 'stores',
      content: (csrf: string) => newPayment(csrf, store, typed),
    }) as const;

  const creating = { schema: { params: storeParams }, config: { may: 'createPayment' as const } };
  app.get('/stores/:id/payments/new', creating, async (request, reply) => {
    const store = await storeOr404(context, request.actor, request.params.id);
    const refused = store.active ? {} : { refused: errors.storeInactive().message };
    // The form keeps this key, so that sending it twice creates one payment.
    return sendPage(request, reply, page(store, { values: { key: newId() }, ...refused }));
  });

  app.post('/stores/:id/payments', creating, async (request, reply) => {
    const store = await storeOr404(context, request.actor, request.params.id);
    const values = typedIn(request.body);
    const charge = () =>
      chargeForStore(context, {
        within: request.actor,
        storeId: store.id,
        body: bodyOf(request.body),
        idempotencyKey: values.key || undefined,
        by: authorOf(request),
        requestId: request.id,
        log: request.log,
      });
    try {
      const { result, wrong } = await attempt(charge);
      if (wrong) return sendPage(request, reply.code(400), page(store, { values, wrong }));
      return reply.redirect(`/panel/payments/${result.id}?done=payment-created`, 303);
    } catch (error) {
      const { statusCode, message } = asApiError(error);
      if (statusCode !== 403 && statusCode !== 422) throw error;
      return sendPage(request, reply.code(statusCode), page(store, { values, refused: message }));
    }
  });
};

function bodyOf(form: unknown) {
  const given = (name: string) => textOf(form, name) || null;
  return {
    amount: numberFrom(textOf(form, 'amount')) ?? undefined,
    email: given('email'),
    observation: given('observation'),
    webhookUrl: given('webhookUrl'),
    description: given('description'),
  };
}

function newPayment(csrf: string, store: Store, { values, wrong, refused }: Typed): SafeHtml {
  const at = fieldsOf({ values, wrong });
  const path = `/panel/stores/${store.id}`;
  const problem = refused ?? (wrong ? 'O pagamento não foi criado. Corrija o campo indicado.' : undefined);
  return html`<p class="back"><a href="${path}">${store.name}</a></p>
    <h1>Criar pagamento</h1>
    <div class="card narrow">
      ${problem ? alert('error', problem) : nothing}
      ${postForm(
        { csrf, action: `${path}/payments` },
        html`<input type="hidden" name="key" value="${values.key}">
          ${textField({ ...at('amount'), label: 'Valor', prefix: 'R$', inputmode: 'decimal', required: true })}
          ${textField({ ...at('email'), label: 'E-mail do cliente', type: 'email' })}
          ${textArea({ ...at('observation'), label: 'Observação' })}
          ${textField({ ...at('description'), label: 'Descrição para quem paga', hint: 'Aparece no aplicativo do banco de quem paga.' })}
          ${textField({ ...at('webhookUrl'), label: 'URL do webhook', type: 'url', hint: 'Recebe os webhooks deste pagamento.' })}
          <div class="actions"><button class="button primary">Criar pagamento</button>
          <a class="button quiet" href="${path}">Cancelar</a></div>`,
      )}
    </div>`;
}
