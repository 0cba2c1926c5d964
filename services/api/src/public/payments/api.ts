import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { type ListQuery, listPayments } from '@payments/database/payments/list';
import { paymentReadView } from '@payments/domain/payment';
import { paymentStatuses } from '@payments/domain/status';
import type { PublicContext } from '../../context.ts';
import { answerOf, errorAnswersOf, skipValidation } from '../../http/answers.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import {
  ofPage,
  ofRange,
  pageQuery,
  rangeQuery,
  readId,
  readOneOf,
  readPage,
  readRange,
} from '../../http/readers.ts';
import { authorByToken, ofStoreRequest, requestIdHeader, storeOperation } from '../store-authentication.ts';
import { cancelPayment, createPayment, readCreation, readView, readViews } from './actions.ts';
import {
  cancelledExamples,
  createdExamples,
  listExamples,
  readExamples,
  requestExamples,
} from './examples.ts';
import {
  hashOfKey,
  idempotencyKeyHeader,
  ofCreation,
  ofReference,
  readIdempotencyKey,
  readReference,
} from './new-payment.ts';
import { inclusions, lengths, paymentId, statusQuery } from './schemas.ts';

const includeQuery = {
  include: Type.Optional(
    Type.Union(
      inclusions.map((name) => Type.Literal(name)),
      {
        description:
          '`pix` adds to each payment `refundedAmount` and `pix`: the Pix that came for it, with endToEndId, amount and time.',
      },
    ),
  ),
};

const ofInclude: Conditions = {
  includeUnknown: field('include', rules.oneOf(inclusions), '`include` is not `pix`.'),
};

const everyOperation = { ...storeOperation, tags: ['Payments'] };

const creation = {
  ...everyOperation,
  operationId: 'createPayment',
  summary: 'Create payment',
  description:
    'Creates a `pending` payment for the token’s store. If it has a `webhookUrl`, the service sends `payment.created` ' +
    'there. If the bank does not respond in time, `qrCodeUrl` and `qrCopyPaste` are null. Read the payment again: ' +
    'they appear as soon as the bank has registered the charge.',
  headers: Type.Object({
    ...idempotencyKeyHeader(
      'Makes retries safe: for 24 hours the same key and body return the same payment. Another body is a 422.',
      ['pedido-1042'],
    ),
    ...requestIdHeader,
  }),
  // The contract's messages and their order are `readPaymentRequest`'s: what comes is still anything.
  body: Type.Unsafe<unknown>(Type.Ref('CreatePayment')),
  'x-request-examples': requestExamples,
  response: {
    200: answerOf('The payment was created.', Type.Ref('CreatedPayment'), createdExamples),
    ...errorAnswersOf(...ofStoreRequest, ...ofCreation),
  },
};

const reading = {
  ...everyOperation,
  operationId: 'getPayment',
  summary: 'Get payment by id',
  description: 'Reads a payment of the store, for example to poll its status.',
  params: Type.Object({ id: paymentId }),
  querystring: Type.Object(includeQuery),
  headers: Type.Object(requestIdHeader),
  response: {
    200: answerOf('The payment.', Type.Ref('Payment'), readExamples),
    ...errorAnswersOf(...ofStoreRequest, ofInclude, 'paymentNotFound'),
  },
};

const listing = {
  ...everyOperation,
  operationId: 'listPayments',
  summary: 'List payments of the store',
  description:
    'Lists the payments of the store in pages, newest first. `total` counts all matching payments.',
  querystring: Type.Object({
    ...pageQuery('Payments'),
    status: statusQuery,
    after: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Id of a payment. The list then begins with the payment after it, even if payments are created ' +
          'meanwhile. The list is empty for an unknown payment or another store’s.',
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: lengths.reference,
        description: 'The whole reference of a payment. The list has this payment, or none.',
      }),
    ),
    ...rangeQuery('payments created'),
    ...includeQuery,
  }),
  headers: Type.Object(requestIdHeader),
  response: {
    200: answerOf('A page of payments.', Type.Ref('PaymentList'), listExamples),
    ...errorAnswersOf(
      ...ofStoreRequest,
      ofPage,
      {
        statusUnknown: field('status', rules.oneOf(paymentStatuses), '`status` is not a payment status.'),
        afterNotAnId: field('after', rules.uuid, '`after` is not an id.'),
      },
      ofReference,
      ofRange,
      ofInclude,
    ),
  },
};

const cancellation = {
  ...everyOperation,
  operationId: 'cancelPayment',
  summary: 'Cancel a payment',
  description:
    'Cancels a `pending` payment: it becomes `not_approved` at once, and the bank removes its code. A Pix that was paid ' +
    'all the same goes to review. Only where the store allows it its tokens, which its administrators do in the panel.',
  params: Type.Object({ id: paymentId }),
  headers: Type.Object(requestIdHeader),
  response: {
    200: answerOf('The cancelled payment.', Type.Ref('Payment'), cancelledExamples),
    ...errorAnswersOf(...ofStoreRequest, 'operationNotEnabled', 'paymentNotFound', 'notCancellable'),
  },
};

/** The payments of a store: create, read, list and cancel them. Register it behind the store's authentication. */
export const paymentsApi: FastifyPluginAsyncTypebox<{ context: PublicContext }> = async (
  app,
  { context },
) => {
  // `new-payment.ts` and `readFilter` validate instead of the schemas.
  app.setValidatorCompiler(skipValidation.validatorCompiler);

  app.post('/payments', { schema: creation }, async (request) => {
    const { store, pausedBanks, body } = request;
    const key = request.headers['idempotency-key'];
    const { id: storeId, maxAmount } = store;
    const given = { body, storeId, maxAmount, isPublic: true, keyHash: hashOfKey(key) };
    const paymentRequest = await readCreation(context, given);
    const idempotencyKey = readIdempotencyKey(key);
    const sale = {
      store,
      pausedBanks,
      request: paymentRequest,
      by: null,
      idempotencyKey,
      requestId: request.id,
    };
    const payment = await context.saleTurns(storeId, () =>
      createPayment(context, { ...sale, log: request.log }),
    );
    request.log.debug({ paymentId: payment.id, storeId: store.id }, 'payment created');
    return payment;
  });

  app.get('/payments/:id', { schema: reading, config: { readsPayment: true } }, async (request) => {
    const include = readInclude(request.query);
    if (!request.payment) throw errors.paymentNotFound();
    return readView(context, request.payment, include);
  });

  const cancelling = { schema: cancellation, config: { tokenMay: 'cancel', readsPayment: true } as const };
  app.post('/payments/:id/cancel', cancelling, async (request) => {
    const { payment, store, tokenId } = request;
    if (!payment) throw errors.paymentNotFound();
    const token = { id: tokenId, storeId: store.id };
    const order = { paymentId: payment.id, by: authorByToken(request, null), token };
    const cancelled = await context.storeTurns(store.id, () => cancelPayment(context, order));
    request.log.info({ paymentId: cancelled.id }, 'a payment was cancelled');
    return paymentReadView(cancelled, context.publicUrl);
  });

  app.get('/payments', { schema: listing }, async ({ store, query }) => {
    const page = readPage(query);
    const filter = { storeId: store.id, ...readFilter(query) };
    const include = readInclude(query);
    return context.storeTurns(store.id, async () => {
      const { items, total } = await listPayments(context.db, filter, page);
      return { items: await readViews(context, items, include), ...page, total };
    });
  });
};

/** @throws ApiError 400 for the first wrong parameter, in the order status, after, reference, from, to */
function readFilter({ status, after, reference, ...range }: Record<string, unknown>): ListQuery {
  return {
    ...(status === undefined ? {} : { status: readOneOf('status', status, paymentStatuses) }),
    ...(after === undefined ? {} : { after: readId('after', after) }),
    ...(reference === undefined ? {} : { reference: readReference(reference) }),
    ...readRange(range),
  };
}

function readInclude({ include }: { include?: unknown }) {
  return include === undefined ? undefined : readOneOf('include', include, inclusions);
}
