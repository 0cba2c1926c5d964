import { type Overview as ReadOverview, readOverview } from '@payments/database/backlog';
import { reaisFrom } from '@payments/domain/money';
import { paymentStatuses } from '@payments/domain/status';
import { Type } from '@sinclair/typebox';
import { readKind } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { answerOf, skipValidation } from '../../http/answers.ts';
import { adminAnswersOf, ofKind } from '../conditions.ts';
import { kindQuery, Shape } from '../shapes.ts';

const byStatus = paymentStatuses.map((status) => [status, Shape.count(`Payments in \`${status}\`.`)]);

const Overview = Type.Object(
  {
    payments: Type.Object(Object.fromEntries(byStatus), {
      description: 'Payments of all stores, by status.',
    }),
    reviews: Type.Object(
      {
        waiting: Shape.count('Payments in review.'),
        oldestSince: Shape.timeOrNull('When the oldest review began.'),
        nextDeadline: Shape.timeOrNull('When the next review times out and is refunded.'),
      },
      { description: 'Payments that wait for a decision.' },
    ),
    deliveries: Type.Object(
      {
        pending: Shape.count('Deliveries neither delivered nor dead.'),
        dead: Shape.count('Deliveries that were given up.'),
      },
      { description: 'Webhook deliveries; each count stops at 10,000.' },
    ),
    refunds: Type.Object(
      {
        unfinished: Shape.count('Ordered, and not made yet.'),
        owed: Shape.count('Refused refunds that wait for a person to retry them.'),
        owedAmount: Type.Number({ description: 'Amount of the owed refunds, in BRL.' }),
        toOrderAgain: Shape.count('Refused refunds that the service orders anew by itself.'),
        byBank: Shape.count('Unfinished refunds that began at the bank.'),
      },
      { description: 'Unfinished and failed refunds.' },
    ),
    unmatchedPix: Shape.count('Pix that fit no payment.'),
    chargeProblems: Shape.count('Charges that keep failing.'),
    endpoints: Type.Object(
      {
        failing: Shape.count('Failing receivers.'),
        open: Shape.count('Failing receivers with an open circuit.'),
      },
      { description: 'Receivers of webhooks.' },
    ),
  },
  { $id: 'Overview', description: 'What waits, and for whom.' },
);

export const overviewSchemas = [Overview];

/** @returns the overview with every status, 0 included */
function overviewView(
  { payments, backlog }: ReadOverview,
  { reviewTimeoutSeconds }: Pick<AdministrationContext, 'reviewTimeoutSeconds'>,
) {
  const { reviewsWaitingSince: oldestSince, nextReviewSince: next } = backlog;
  const nextDeadline = next && new Date(next.getTime() + reviewTimeoutSeconds * 1_000);
  return {
    payments: Object.fromEntries(paymentStatuses.map((status) => [status, payments[status] ?? 0])),
    reviews: { waiting: payments.review ?? 0, oldestSince, nextDeadline },
    deliveries: { pending: backlog.deliveriesPending, dead: backlog.deliveriesDead },
    refunds: {
      unfinished: backlog.refundsUnfinished,
      owed: backlog.refundsOwed,
      owedAmount: reaisFrom(backlog.refundsOwedAmount),
      toOrderAgain: backlog.refundsToOrderAgain,
      byBank: backlog.bankReturnsUnderWay,
    },
    unmatchedPix: backlog.pixUnmatched,
    chargeProblems: backlog.chargesRefused + backlog.chargesSetAside + backlog.chargesStuck,
    endpoints: { failing: backlog.endpointsFailing, open: backlog.endpointsOpen },
  };
}

const schema = {
  operationId: 'getOverview',
  summary: 'Get the overview',
  description: 'Counts of payments by status, and of everything that waits for a person or a receiver.',
  tags: ['Overview'],
  querystring: Type.Object(kindQuery),
  response: {
    200: answerOf('The overview.', Type.Ref('Overview')),
    ...adminAnswersOf(ofKind),
  },
};

/** The counts of the overview, in the administration's API. */
export const overviewApi: AdministrationPlugin = async (app, { context }) => {
  const reading = { schema, config: { may: 'readOverview' as const }, ...skipValidation };
  app.get('/overview', reading, async ({ actor, query }) => {
    const { test } = readKind(actor, query);
    return overviewView(await readOverview(context.db, context.now(), test), context);
  });
};
