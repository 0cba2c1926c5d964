import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from '@sinclair/typebox';
import type { PublicContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../http/answers.ts';
import { type Conditions, field } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readText } from '../../http/readers.ts';
import { compileValidator } from '../../http/validation.ts';
import { idempotencyKeyHeader, ofIdempotencyKey, readIdempotencyKey } from '../payments/new-payment.ts';
import { paymentId } from '../payments/schemas.ts';
import { authorByToken } from '../store-authentication.ts';
import { ofStoreRequest, requestIdHeader, storeOperation } from '../store-operations.ts';
import { refundByToken, refundsOfPayment } from './actions.ts';
import { refundExamples } from './examples.ts';
import { RefundRequest } from './schemas.ts';

const everyOperation = {
  ...storeOperation,
  tags: ['Refunds'],
  params: Type.Object({ id: paymentId }),
};

const ofFields: Conditions = {
  bodyNotAnObject: field('body', rules.object, 'The body is not a JSON object.'),
  amountNotANumber: field('amount', rules.number, '`amount` is not a number, or has more than two decimals.'),
  refundAmountTooLow: field('amount', rules.atLeast(0.01), '`amount` is less than 0.01.'),
  reasonNotAString: field('reason', rules.string, '`reason` is not a string.'),
  reasonTooLong: field('reason', rules.shortEnough(2_000), '`reason` is longer than 2000 characters.'),
  reasonNullCharacter: field('reason', rules.noNull, '`reason` contains U+0000.'),
};

const ordering = {
  ...everyOperation,
  operationId: 'refundPayment',
  summary: 'Refund a payment, in full or in part',
  description:
    'Gives back what the customer paid, whole or in part. When all of it has gone back, the payment becomes ' +
    '`not_approved`. A Pix can be refunded for 90 days. Only where the store allows it its tokens, which its ' +
    'administrators do in the panel, up to the limit that they set for a day.',
  headers: Type.Object({
    ...idempotencyKeyHeader(
      'Makes retries safe: the same key and body order one refund of the payment. Another body is a 422.',
      ['devolucao-1042'],
    ),
    ...requestIdHeader,
  }),
  body: Type.Unsafe<Static<typeof RefundRequest>>(Type.Ref('RefundRequest')),
  'x-optional-body': true,
  'x-request-examples': refundExamples.requests,
  response: {
    200: answerOf(
      'The refund was ordered and goes to the bank now.',
      Type.Ref('Refund'),
      refundExamples.ordered,
    ),
    ...errorAnswersOf(
      ...ofStoreRequest,
      'operationNotEnabled',
      ofFields,
      ofIdempotencyKey,
      'idempotencyKeyReused',
      'paymentNotFound',
      'notRefundable',
      'refundTooLate',
      'refundTooHigh',
      'refundLimitReached',
    ),
  },
};

const listing = {
  ...everyOperation,
  operationId: 'listRefunds',
  summary: 'List the refunds of a payment',
  description: 'All refunds of a payment, newest first: the store’s, the service’s and the bank’s (MED).',
  headers: Type.Object(requestIdHeader),
  response: {
    200: answerOf('The refunds.', Type.Ref('RefundList'), refundExamples.listed),
    ...errorAnswersOf(...ofStoreRequest, 'paymentNotFound'),
  },
};

/** A store's refunds. Register it behind the store's authentication. */
export const refundsApi: FastifyPluginAsyncTypebox<{ context: PublicContext }> = async (app, { context }) => {
  // An id that is none is a 404, and readers judge the headers.
  app.setValidatorCompiler(({ schema, httpPart }) =>
    httpPart === 'body' ? compileValidator({ schema, references: [RefundRequest] }) : () => true,
  );
  const path = '/payments/:id/refunds';

  // An absent body is an empty object, which no schema can express.
  const preValidation = async (request: { body: unknown }) => {
    request.body ??= {};
  };
  const config = { tokenMay: 'refund', readsPayment: true } as const;
  app.post(path, { schema: ordering, config, preValidation }, async (request) => {
    const { body, headers, payment, store, tokenId } = request;
    const reason = typeof body.reason === 'string' ? readText('reason', body.reason) : null;
    const idempotencyKey = readIdempotencyKey(headers['idempotency-key']);
    const { amount } = body;
    const by = authorByToken(request, reason);
    const token = { id: tokenId, storeId: store.id };
    const order = { paymentId: payment?.id ?? '', amount, idempotencyKey, by, token };
    return refundByToken(context, order, request.log);
  });

  app.get(path, { schema: listing, config: { readsPayment: true } }, async ({ payment }) => {
    if (!payment) throw errors.paymentNotFound();
    return { items: await refundsOfPayment(context, payment.id) };
  });
};
