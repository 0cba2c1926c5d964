import { listReviews } from '@payments/database/payments/reviews';
import { listRefundsFound } from '@payments/database/refunds/list';
import { refundStates } from '@payments/domain/refunds';
import { Type } from '@sinclair/typebox';
import { authorOf, optionalBody, ownPayment, ReasonBody, readStoreFilter } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, conditionsOf, skipValidation } from '../../http/answers.ts';
import { csvAnswerOf, csvQuery } from '../../http/csv.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { ofPage, ofRange, pageQuery, rangeQuery, readPage } from '../../http/readers.ts';
import {
  idempotencyKeyHeader,
  ofIdempotencyKey,
  readIdempotencyKey,
} from '../../public/payments/new-payment.ts';
import { refundPayment } from '../../public/refunds/actions.ts';
import { bankQuery, ofBankFilter } from '../banks/schemas.ts';
import {
  adminAnswersOf,
  notFound,
  ofExport,
  ofRefundWindow,
  ofStoreFilter,
  refusedRefund,
} from '../conditions.ts';
import { sendExport } from '../record/export.ts';
import { kindQuery, paymentParams, refTo, Shape } from '../shapes.ts';
import { readRefundFilter, refundExport, refundsOnRecord, retryRefund, withdraw } from './actions.ts';
import { RefundBody, refundView, reviewView } from './schemas.ts';

export const ofAnyRefundState: Conditions = {
  stateUnknown: field(
    'state',
    rules.oneOf(['requested', 'processing', 'refunded', 'failed']),
    '`state` is not a state of a refund.',
  ),
};

export const ofRefundState: Conditions = {
  stateUnknown: field(
    'state',
    rules.oneOf(['requested', 'processing', 'failed']),
    '`state` is not a state of an unfinished or failed refund.',
  ),
};

export const ofRefundAmount: Conditions = {
  amountNotANumber: field('amount', rules.number, '`amount` is not a number, or has more than two decimals.'),
};

export const ofRefund: Conditions = {
  notRefundable: refusedRefund(
    { code: 'notRefundable', status: 'review' },
    'Only approved and paid payments can be refunded this way.',
  ),
  ...ofRefundWindow,
  nothingToRefund: refusedRefund(
    { code: 'nothingToRefund' },
    'All of the payment has been refunded, or is being refunded.',
  ),
  refusedByTheBank: refusedRefund(
    { code: 'refusedByBank' },
    'The bank refused the refund of the rest. Retry that refund instead.',
  ),
  moreThanIsLeft: refusedRefund({ code: 'moreThanIsLeft' }, '`amount` is more than what is left.'),
};

export const ofWithdrawal: Conditions = {
  refundOfThePayer: refusedRefund(
    { code: 'ofPayer' },
    'No administrator ordered the refund, or its payment is not approved or paid.',
  ),
};

/** A decision on a refused refund: a retry, or a withdrawal. */
export const ofRefusedRefund: Conditions = {
  refundOfTheBank: refusedRefund({ code: 'ofBank' }, 'The bank started the refund itself.'),
  refundNotRefused: refusedRefund({ code: 'notRefused' }, 'The bank did not refuse the refund.'),
  refundOrderedAlready: refusedRefund(
    { code: 'orderedAlready' },
    'An administrator or the service has already ordered the refund anew.',
  ),
  refundEnded: refusedRefund(
    { code: 'ended' },
    'The refund was withdrawn, or its amount fits what is left no more: order another one.',
  ),
  refundNotOwed: refusedRefund(
    { code: 'notOwed', status: 'approved' },
    'Nothing of the Pix is owed to the payer any more.',
  ),
};

export const ofRefundRetry: Conditions = { ...ofRefusedRefund, ...ofRefundWindow };

const tags = ['Refunds'];
const notMade = ['requested', 'processing', 'failed'] as const;

const order = {
  operationId: 'refundPayment',
  summary: 'Refund a payment, in full or in part',
  description:
    'Refunds an approved or paid payment, at most by what is left of it. A partial refund lowers `amount`. When the ' +
    'bank has refunded all of it, the payment becomes `not_approved`. An `amount` goes back as ordered or not at all: ' +
    'if the bank has taken a part meanwhile (MED) and it fits no more, the refund is `failed` for good. Without ' +
    '`amount`, what is left then goes back. The bank refunds a Pix for 90 days.',
  tags,
  params: paymentParams,
  headers: Type.Object(idempotencyKeyHeader('Makes retries safe: the same key and body order one refund.')),
  body: refTo(RefundBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The refund was ordered and goes to the bank now.', Type.Ref('Refund')),
    ...adminAnswersOf(
      conditionsOf(RefundBody),
      ofRefundAmount,
      ofIdempotencyKey,
      'idempotencyKeyReused',
      notFound.payment,
      ofRefund,
    ),
  },
};

const onRefused = {
  tags,
  params: Type.Object({
    id: Type.String({ description: 'Identifier of the payment.' }),
    refundId: Type.String({ description: 'Identifier of the refund that the bank refused.' }),
  }),
  body: refTo(ReasonBody),
  'x-optional-body': true,
};

const retry = {
  ...onRefused,
  operationId: 'refundAnew',
  summary: 'Retry a refund that the bank refused',
  description:
    'Orders a new refund, with a new id, of what is left of the Pix. Each refused refund can be replaced once, ' +
    'while its money is owed to the payer.',
  response: {
    202: answerOf('The new refund was ordered and goes to the bank now.', Type.Ref('Refund')),
    ...adminAnswersOf(conditionsOf(ReasonBody), notFound.refund, ofRefundRetry),
  },
};

const withdrawal = {
  ...onRefused,
  operationId: 'withdrawRefund',
  summary: 'Withdraw a refund that the bank refused',
  description:
    'Only for a refund that an administrator ordered, of an approved or paid payment. The service stops retrying it, ' +
    'nothing is owed to the payer any more, and the payment can be paid out.',
  response: {
    200: answerOf('The withdrawn refund.', Type.Ref('Refund')),
    ...adminAnswersOf(conditionsOf(ReasonBody), notFound.refund, ofRefusedRefund, ofWithdrawal),
  },
};

const filters = {
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only refunds of this store.' })),
  ...kindQuery,
  ...bankQuery,
  ...rangeQuery('refunds ordered'),
};
const stateQuery = (states: readonly string[]) => ({
  state: Type.Optional(Shape.oneOf(states, 'Only refunds in this state.')),
});

const list = {
  operationId: 'listRefundsNotMade',
  summary: 'List unfinished and failed refunds, newest first',
  description:
    'A refund with `isOwed` waits for a person: the bank refused it, and the account still holds the money.',
  tags,
  querystring: Type.Object({ ...filters, ...stateQuery(notMade), ...pageQuery('Entries') }),
  response: {
    200: answerOf('A page of refunds.', Type.Ref('RefundList')),
    ...adminAnswersOf(ofPage, ofStoreFilter, ofRefundState, ofBankFilter, ofRange),
  },
};

const asCsv = {
  operationId: 'exportRefunds',
  summary: 'Export refunds as CSV, newest first',
  description: 'Refunds of all states, also made ones, ours and the banks’ (MED), streamed.',
  tags,
  querystring: Type.Object({ ...filters, ...stateQuery(refundStates), ...csvQuery }),
  response: {
    200: csvAnswerOf('The refunds found; amounts in BRL, like `1234.50`.', Object.keys(refundExport.columns)),
    ...adminAnswersOf(ofStoreFilter, ofAnyRefundState, ofBankFilter, ofRange, ofExport),
  },
};

const reviews = {
  operationId: 'listReviews',
  summary: 'List payments in review, longest waiting first',
  description:
    'The service refunds a payment that is still in review at its `deadline`. Decide with `POST /admin/payments/{id}/status`.',
  tags: ['Payments'],
  querystring: Type.Object({
    storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only payments of this store.' })),
    ...kindQuery,
    ...pageQuery('Entries'),
  }),
  response: {
    200: answerOf('A page of payments in review.', Type.Ref('ReviewList')),
    ...adminAnswersOf(ofPage, ofStoreFilter),
  },
};

/** Refunds in the administration's API: order, retry, withdraw, list, export; and the payments in review. */
export const refundsApi: AdministrationPlugin = async (app, { context }) => {
  const ordering = { config: { may: 'orderRefund' as const }, preValidation: optionalBody };

  app.post('/payments/:id/refunds', { schema: order, ...ordering }, async (request, reply) => {
    const { actor, body, params } = request;
    const refund = await refundPayment(
      context,
      {
        paymentId: await ownPayment(context.db, actor, params.id),
        amount: body.amount,
        idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
        by: authorOf(request, body),
      },
      request.log,
    );
    return reply.code(202).send(refundView(refund));
  });

  const refused = '/payments/:id/refunds/:refundId';
  app.post(`${refused}/retry`, { schema: retry, ...ordering }, async (request, reply) => {
    const { actor, params, body } = request;
    const decision = { actor, paymentId: params.id, refundId: params.refundId, by: authorOf(request, body) };
    return reply.code(202).send(refundView(await retryRefund(context, decision, request.log)));
  });

  app.post(`${refused}/withdraw`, { schema: withdrawal, ...ordering }, async (request) => {
    const { actor, params, body } = request;
    const decision = { actor, paymentId: params.id, refundId: params.refundId, by: authorOf(request, body) };
    return refundView(await withdraw(context, decision, request.log));
  });

  const listing = { config: { may: 'readPayments' as const }, ...skipValidation };
  app.get('/refunds', { schema: list, ...listing }, async (request) => {
    const { actor } = request;
    // The tabs are the panel's.
    const query = { ...request.query, show: undefined };
    const page = readPage(query);
    const filter = { isNotMade: true as const, ...(await readRefundFilter(context, actor, query, notMade)) };
    const reading = { actor, query, by: authorOf(request) };
    const { items, total } = await refundsOnRecord(context, reading, page, (db) =>
      listRefundsFound(db, filter, page),
    );
    const shown = items.map((refund) => ({ ...refundView(refund), storeId: refund.storeId }));
    return { items: shown, ...page, total };
  });

  const exporting = { config: { may: 'exportRows' as const }, ...skipValidation };
  app.get('/refunds.csv', { schema: asCsv, ...exporting }, async (request, reply) => {
    // The tabs are the panel's.
    const query = { ...request.query, show: undefined };
    const filter = await readRefundFilter(context, request.actor, query);
    return sendExport(context, reply, refundExport, { name: 'refunds', query, filter });
  });

  app.get('/reviews', { schema: reviews, ...listing }, async ({ actor, query }) => {
    const page = readPage(query);
    const { items, total } = await listReviews(context.db, readStoreFilter(actor, query), page);
    return { items: items.map((review) => reviewView(review, context)), ...page, total };
  });
};
