import { paymentReadView } from '@payments/domain/payment';
import { paymentStatuses } from '@payments/domain/status';
import { TransitionRefused } from '@payments/settlement/decide';
import type { Refusal } from '@payments/settlement/refusals';
import { Type } from '@sinclair/typebox';
import { authorOf } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, conditionsOf, skipValidation } from '../../http/answers.ts';
import { csvAnswerOf, csvQuery } from '../../http/csv.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { refusalOf } from '../../http/errors/errors.ts';
import { ofPage, ofRange, pageQuery, readPage } from '../../http/readers.ts';
import { idempotencyKeyHeader, ofCreation, readIdempotencyKey } from '../../public/payments/new-payment.ts';
import { ofBankFilter } from '../banks/schemas.ts';
import { adminAnswersOf, notFound, ofExport, ofLongRead, ofStoreFilter } from '../conditions.ts';
import { sendExport } from '../record/export.ts';
import { paymentParams, refTo, storeParams } from '../shapes.ts';
import {
  chargeForStore,
  decideOnPayment,
  findOnRecord,
  paymentExport,
  paymentInFull,
  readPaymentSearch,
} from './actions.ts';
import { foundView, paymentDetail, StatusBody, searchQuery } from './schemas.ts';

const tags = ['Payments'];

const creation = {
  operationId: 'createPaymentOfStore',
  summary: 'Create a payment for a store',
  description: 'Works as the public creation, with the store’s fees and maximum. `isPublic` is false.',
  tags,
  params: storeParams,
  headers: Type.Object(idempotencyKeyHeader('Makes retries safe, as for the public creation.')),
  body: Type.Ref('CreatePayment'),
  response: {
    200: answerOf('The payment was created.', Type.Ref('CreatedPayment')),
    ...adminAnswersOf('storeInactive', ...ofCreation, notFound.store),
  },
};

const ofSearch: Conditions = {
  ...ofStoreFilter,
  statusUnknown: field('status', rules.oneOf(paymentStatuses), '`status` is none of the payment statuses.'),
  ...ofBankFilter,
  ...ofRange,
  qNotAString: field('q', rules.string, '`q` is there more than once.'),
  qEmpty: field('q', rules.notEmpty, '`q` is empty.'),
  qTooLong: field('q', rules.shortEnough(320), '`q` is longer than 320 characters.'),
  qNullCharacter: field('q', rules.noNull, '`q` contains U+0000.'),
};

const search = {
  operationId: 'searchPayments',
  summary: 'Search payments of all stores, newest first',
  description:
    'A payment must match every filter. `q` finds parts of texts in any case; `%` and `_` mean themselves. With `q`, ' +
    '`total` stops at 10,000, and `totalIsLowerBound` is true.',
  tags,
  querystring: Type.Object({ ...searchQuery, ...pageQuery('Entries') }),
  response: {
    200: answerOf('A page of the payments found.', Type.Ref('FoundPayments')),
    ...adminAnswersOf(ofPage, ofSearch, ofLongRead),
  },
};

const asCsv = {
  operationId: 'exportPayments',
  summary: 'Export payments as CSV, newest first',
  description: 'The payments that the search with the same filters finds, all of them, streamed.',
  tags,
  querystring: Type.Object({ ...searchQuery, ...csvQuery }),
  response: {
    200: csvAnswerOf(
      'The payments found; amounts in BRL, like `1234.50`.',
      Object.keys(paymentExport.columns),
    ),
    ...adminAnswersOf(ofSearch, ofExport),
  },
};

const detail = {
  operationId: 'getPaymentDetail',
  summary: 'Get a payment with its history',
  tags,
  description: 'The payment with its events, Pix, refunds, changes and deliveries.',
  params: paymentParams,
  response: {
    200: answerOf('The payment.', Type.Ref('PaymentDetail')),
    ...adminAnswersOf(notFound.payment),
  },
};

const refusedMove = (refusal: Refusal, when: string) => refusalOf(new TransitionRefused(refusal), when);

const ofTransition: Conditions = {
  transitionNotAllowed: refusedMove(
    { code: 'transition', from: 'pending', to: 'paid' },
    'The payment’s status does not allow this change.',
  ),
  beingRefunded: refusedMove({ code: 'beingRefunded' }, 'The received money is being refunded.'),
  nothingReceivedLeft: refusedMove({ code: 'nothingReceivedLeft' }, 'Everything received has been refunded.'),
  returnUnderWay: refusedMove(
    { code: 'returnUnderWay' },
    'A refund of the payment has not ended yet: the service’s, or one that the bank started.',
  ),
  moneyInDoubt: refusedMove(
    { code: 'inDoubt' },
    'The bank told of something that is not on record yet, or shows another charge: the charge is set aside and tried again.',
  ),
  chargeUnknownAtBank: refusedMove({ code: 'chargeUnknown' }, 'The bank does not know the payment’s charge.'),
};

const decision = {
  operationId: 'changePaymentStatus',
  summary: 'Change a payment’s status',
  tags,
  description:
    'Approves or rejects a review, cancels a pending payment, or moves an approved one through the internal ' +
    'statuses. Rejecting a review refunds the received money. The change sends an event like any other.',
  params: paymentParams,
  body: refTo(StatusBody),
  response: {
    200: answerOf('The payment after the change.', Type.Ref('Payment')),
    ...adminAnswersOf(conditionsOf(StatusBody), notFound.payment, ofTransition),
  },
};

/** Payments in the administration's API: create for a store, search, export, read in full, decide. */
export const paymentsApi: AdministrationPlugin = async (app, { context }) => {
  const { publicUrl } = context;

  const creating = { schema: creation, config: { may: 'createPayment' as const }, ...skipValidation };
  app.post('/stores/:id/payments', creating, async (request) =>
    chargeForStore(context, {
      storeId: request.params.id,
      within: request.actor,
      body: request.body,
      idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
      by: authorOf(request),
      requestId: request.id,
      log: request.log,
    }),
  );

  const searching = { schema: search, config: { may: 'readPayments' as const }, ...skipValidation };
  app.get('/payments', searching, async (request) => {
    const { actor, query } = request;
    const page = readPage(query);
    const wanted = await readPaymentSearch(context, actor, query);
    const reading = { actor, query, by: authorOf(request) };
    const { items, total, totalIsLowerBound } = await findOnRecord(context, reading, wanted, page);
    const shown = items.map((payment) => foundView(payment, publicUrl));
    return { items: shown, ...page, total, totalIsLowerBound };
  });

  const exporting = { schema: asCsv, config: { may: 'exportRows' as const }, ...skipValidation };
  app.get('/payments.csv', exporting, async (request, reply) => {
    const { actor, query } = request;
    const filter = await readPaymentSearch(context, actor, query);
    return sendExport(context, reply, paymentExport, { name: 'payments', query, filter });
  });

  const reading = { schema: detail, config: { may: 'readPayments' as const } };
  app.get('/payments/:id', reading, async ({ actor, params }) =>
    paymentDetail(await paymentInFull(context, actor, params.id), publicUrl),
  );

  const deciding = { schema: decision, config: { may: 'changeStatus' as const } };
  app.post('/payments/:id/status', deciding, async (request) => {
    const { body, params } = request;
    const wanted = { paymentId: params.id, to: body.status, by: authorOf(request, body) };
    return paymentReadView(await decideOnPayment(context, wanted, request.log), publicUrl);
  });
};
