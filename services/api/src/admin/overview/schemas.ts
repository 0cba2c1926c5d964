import { paymentStatuses } from '@payments/domain/status';
import { Type } from '@sinclair/typebox';
import { count, timeOrNull } from '../shapes.ts';

const byStatus = paymentStatuses.map((status) => [status, count(`Payments that are ${status}.`)]);

const Overview = Type.Object(
  {
    payments: Type.Object(Object.fromEntries(byStatus), {
      description: 'Payments of all stores, by status.',
    }),
    reviews: Type.Object(
      {
        waiting: count('Payments that wait for a decision.'),
        oldestSince: timeOrNull('Since when the oldest waits.'),
        nextDeadline: timeOrNull('When the oldest is refunded.'),
      },
      { description: 'What waits for a decision.' },
    ),
    deliveries: Type.Object(
      { pending: count('Under way, or to be tried again.'), dead: count('All attempts failed.') },
      { description: 'Webhooks; each counted up to 10,000.' },
    ),
    refunds: Type.Object(
      {
        unfinished: count('Ordered, and not made yet.'),
        owed: count('Refused by the bank, and waiting for a person to order them anew.'),
        owedAmount: Type.Number({ description: 'What these owe to payers, in BRL.' }),
        toOrderAgain: count('Refused by the bank, and to be ordered anew by the service.'),
        byBank: count('Started by the bank itself (MED), and not ended yet.'),
      },
      { description: 'Refunds that have not been made.' },
    ),
    unmatchedPix: count('Pix that fit no payment.'),
    chargeProblems: count('Charges on which work keeps failing.'),
    endpoints: Type.Object(
      {
        failing: count('Receivers that fail now.'),
        open: count('Of these, left alone for a while: their breaker is open.'),
      },
      { description: 'Receivers of webhooks.' },
    ),
  },
  { $id: 'Overview', description: 'How things stand.' },
);

export const overviewSchemas = [Overview];
