import {
  type FastifyPluginAsyncTypebox,
  type Static,
  type TSchema,
  Type,
} from '@fastify/type-provider-typebox';
import { refundKinds, refundStates } from '@payments/domain/refunds';
import type { PublicContext } from '../../context.ts';
import { answerOf, compileValidator, type Examples, errorAnswersOf } from '../../http/answers.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { readText } from '../../http/readers.ts';
import { idempotencyKeyHeader, ofIdempotencyKey, readIdempotencyKey } from '../payments/new-payment.ts';
import { paymentId } from '../payments/schemas.ts';
import { authorByToken, ofStoreRequest, requestIdHeader, storeOperation } from '../store-authentication.ts';
import { refundByToken, refundsOfPayment } from './actions.ts';

/** The OpenAPI schemas of a store's refunds (Contract: refunds by a token). */

const orNull = <T extends TSchema>(schema: T, description: string, example: unknown) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description, examples: [example] }));

export const RefundRequest = Type.Object(
  {
    amount: orNull(
      Type.Number({ minimum: 0.01 }),
      'Amount to refund, in BRL, with at most two decimals; it goes back as ordered or not at all. Null or absent ' +
        'means all that is left.',
      5,
    ),
    reason: orNull(
      Type.String({ maxLength: 2_000 }),
      'Your words for the record and the administration. Nobody else reads them.',
      'Produto com defeito',
    ),
  },
  { $id: 'RefundRequest', description: 'A refund to order.' },
);

const stateMeanings = {
  requested: 'ordered; the bank has not accepted it yet',
  processing: 'the bank is making it',
  refunded: 'made',
  failed:
    'the bank did not make it, and the service orders it again as a new refund; or it fits what is left no more',
};

const kindMeanings = {
  requested: 'ordered by the store or an administrator',
  second_pix: 'a further Pix for a payment that had one',
  rejected: 'the payment was not approved',
  review_timeout: 'nobody decided the review in time',
  returned_by_bank:
    'the return began at the bank, not in this service: by the bank itself (MED), or by somebody with access to the account',
};

const listOf = (meanings: Record<string, string>) =>
  Object.entries(meanings)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n');

const Refund = Type.Object(
  {
    id: Type.String({
      description: 'Identifier of the refund at the bank.',
      examples: ['117537deb89071f88cff1d74d17e2fb3'],
    }),
    paymentId: Type.String({ format: 'uuid', description: 'Identifier of the payment.' }),
    endToEndId: Type.String({ description: 'endToEndId of the Pix that goes back.' }),
    amount: Type.Number({ minimum: 0, description: 'Amount that goes back, in BRL.' }),
    status: Type.Unsafe<string>({
      type: 'string',
      'x-extensible-enum': refundStates,
      description: `Where the refund stands.\n\n${listOf(stateMeanings)}`,
    }),
    reason: Type.Unsafe<string>({
      type: 'string',
      'x-extensible-enum': refundKinds,
      description: `Why the money goes back.\n\n${listOf(kindMeanings)}`,
    }),
    createdAt: Type.String({ format: 'date-time', description: 'When it was ordered, or first seen.' }),
    updatedAt: Type.String({ format: 'date-time', description: 'Time of the last change.' }),
  },
  { $id: 'Refund', description: 'A refund of a payment, by the service or by the bank.' },
);

const RefundList = Type.Object(
  { items: Type.Array(Type.Ref('Refund'), { description: 'The payment’s refunds, newest first.' }) },
  { $id: 'RefundList', description: 'All refunds of a payment.' },
);

export const refundSchemas = [RefundRequest, Refund, RefundList];

/** Refunds as the documents show them. A test compares them with real ones, except for ids and times. */

const ordered = {
  id: '117537deb89071f88cff1d74d17e2fb3',
  paymentId: '0199f3a5-0e77-7b2c-b4d1-8c3e5a9f6027',
  endToEndId: 'E00000000202603021409a1B2c3D4e5F',
  amount: 50,
  status: 'requested',
  reason: 'requested',
  createdAt: '2026-03-05T10:20:00.000Z',
  updatedAt: '2026-03-05T10:20:00.000Z',
};

const takenBack = {
  ...ordered,
  id: 'MED4k2Lm9QxT7vBz0cWj3e',
  amount: 20,
  status: 'refunded',
  reason: 'returned_by_bank',
  createdAt: '2026-03-06T08:00:00.000Z',
  updatedAt: '2026-03-06T08:00:00.000Z',
};

export const refundExamples = {
  requests: {
    partial: { summary: 'A part', value: { amount: 5, reason: 'Produto com defeito' } },
    all: { summary: 'All that is left', value: {} },
  },
  ordered: { partial: { summary: 'A part of the payment', value: ordered } },
  listed: {
    refunds: {
      summary: 'A part by the store, and a part that the bank took back',
      value: {
        items: [takenBack, { ...ordered, status: 'refunded', updatedAt: '2026-03-05T10:20:01.200Z' }],
      },
    },
    none: { summary: 'Nothing went back', value: { items: [] } },
  },
} satisfies Record<string, Examples>;

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
      'Makes retries safe: the same key and body order one refund of the payment, however late the retry. ' +
        'Another body is a 422.',
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
    return context.storeTurns(store.id, () => refundByToken(context, order, request.log));
  });

  app.get(path, { schema: listing, config: { readsPayment: true } }, async ({ payment, store }) => {
    if (!payment) throw errors.paymentNotFound();
    return { items: await context.storeTurns(store.id, () => refundsOfPayment(context, payment.id)) };
  });
};
