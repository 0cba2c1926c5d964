import type { FoundPayments } from '@payments/database/payments/search';
import { withPayingPix } from '@payments/database/payments/with-pix';
import { listStores, type Store } from '@payments/database/stores/stores';
import { sumCreated } from '@payments/database/totals/totals';
import { newId } from '@payments/domain/identifiers';
import { paymentStatuses } from '@payments/domain/status';
import { type Actor, authorOf, ownFilter, storeOr404 } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { asApiError } from '../../http/errors/error-answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { html, money, nothing, type SafeHtml } from '../../pages/html.ts';
import { hashOfKey } from '../../public/payments/new-payment.ts';
import { everConfigured } from '../banks/actions.ts';
import { type Choices, commonFields, exportLink, givenOf, readFilters } from '../kit/filters.ts';
import { attempt, type FieldError, fieldsOf, numberFrom, textOf, typedIn } from '../kit/form-values.ts';
import { postForm, select, textArea, textField } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, statusNames, testBadge } from '../kit/parts.ts';
import { emptyState, pageOf, pagination } from '../kit/tables.ts';
import { sendExport } from '../record/export.ts';
import { storeParams } from '../shapes.ts';
import { chargeForStore, findOnRecord, paymentExport, readPaymentSearch } from './actions.ts';
import { paymentTable } from './parts.ts';

const path = '/panel/payments';
const names = ['q', 'storeId', 'test', 'status', 'bank', 'from', 'to'] as const;
type Filters = Record<(typeof names)[number], string>;

/** The page of payments, with filters, and its CSV. A search for an id redirects to its payment. */
export const paymentsPage: AdministrationPlugin = async (app, { context }) => {
  app.get('/payments', { config: { may: 'readPayments', takesKind: true } }, async (request, reply) => {
    const { actor } = request;
    const filters = readFilters(request.query, names);
    const search = await readPaymentSearch(context, actor, givenOf(filters));
    const reading = { actor, query: filters, by: authorOf(request) };
    const [found, stores, banks] = await Promise.all([
      pageOf(request.query, (page) => findOnRecord(context, reading, search, page)),
      listStores(context.db, ownFilter(actor, givenOf({ test: filters.test }))),
      everConfigured(context.db),
    ]);
    const [only] = found.items;
    if (filters.q && only && found.total === 1) return reply.redirect(`${path}/${only.id}`, 303);
    const nameOf = new Map(stores.map(({ id, name }) => [id, name]));
    const isFiltered = names.some((name) => name !== 'test' && filters[name] !== '');
    const list =
      found.items.length === 0 && isFiltered
        ? emptyState(
            'Nada encontrado',
            'Nenhum pagamento corresponde a estes filtros.',
            html`<a class="button" href="${path}">Limpar filtros</a>`,
          )
        : paymentTable(
            await withPayingPix(context.db, found.items),
            actor.storeId === null ? nameOf : undefined,
          );
    const pages = pagination(found, path, filters);
    // The list counts by another statement: number and sum would be of two moments.
    const sums = async () =>
      search.q === undefined ? context.longReads.read(actor, (one) => sumCreated(one, search)) : found;
    const content = html`<div class="title"><h1>Pagamentos</h1>${exportLink(actor, `${path}.csv`, filters)}</div>
      ${filterForm(actor, filters, { stores, banks })}${isFiltered ? summary(await sums()) : nothing}
      <div class="card flush">${list}</div>${pages}`;
    return sendPage(request, reply, { title: 'Pagamentos', section: 'payments', content: () => content });
  });

  app.get('/payments.csv', { config: { may: 'exportRows' } }, async (request, reply) => {
    const query = request.query as Record<string, unknown>;
    const filter = await readPaymentSearch(context, request.actor, query);
    return sendExport(context, reply, paymentExport, { name: 'pagamentos', query, filter });
  });
};

function summary({ total, amount }: Pick<FoundPayments, 'total' | 'amount'>): SafeHtml {
  if (amount === null)
    return html`<p class="muted">Mais de 10.000 pagamentos com este texto: a soma não é feita.</p>`;
  return html`<p>${total.toLocaleString('pt-BR')} ${total === 1 ? 'pagamento' : 'pagamentos'}, no total de <strong>${money(amount)}</strong>.</p>`;
}

function filterForm(actor: Actor, filters: Filters, choices: Choices): SafeHtml {
  const { kind, store, bank, days } = commonFields(actor, filters, choices);
  const anyStatus = { value: '', label: 'Todos os status' };
  return html`<form class="filters card" method="get" action="${path}" role="search">
    ${kind}${textField({ name: 'q', label: 'Buscar', type: 'search', value: filters.q, filter: true, hint: 'Pedido, e-mail (uma parte basta), referência, identificador, txid ou endToEndId.' })}
    ${store}
    ${select({ name: 'status', label: 'Status', value: filters.status }, [anyStatus, ...paymentStatuses.map((status) => ({ value: status, label: statusNames[status][1] }))])}
    ${bank}
    ${days}
    <button class="button primary">Filtrar</button>
  </form>`;
}

type Typed = { values: Record<string, string>; wrong?: FieldError; refused?: string };

/** The form for a payment by an administrator (`isPublic` false). */
export const newPaymentPage: AdministrationPlugin = async (app, { context }) => {
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
        idempotencyKey: hashOfKey(values.key),
        by: authorOf(request),
        requestId: request.id,
        log: request.log,
      });
    try {
      const { result, wrong } = await attempt(charge);
      if (wrong) return sendPage(request, reply.code(400), page(store, { values, wrong }));
      return reply.redirect(`/panel/payments/${result.id}?done=payment-created`, 303);
    } catch (error) {
      const { statusCode, kind, message } = asApiError(error);
      if (statusCode !== 403 && statusCode !== 422) throw error;
      const refused = kind === 'idempotencyKeyReused' ? sentBefore : message;
      return sendPage(request, reply.code(statusCode), page(store, { values, refused }));
    }
  });
};

const sentBefore =
  'Este formulário já foi enviado com outros dados. Confira em Pagamentos o que foi criado e, se for o caso, abra um formulário novo.';

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
    <h1>${testBadge(store.test)}Criar pagamento</h1>
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
