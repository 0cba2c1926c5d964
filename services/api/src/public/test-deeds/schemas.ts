import { testDeeds } from '@payments/domain/test-deeds';
import { Type } from '@sinclair/typebox';
import { amounts } from '../payments/limits.ts';

/** The OpenAPI schemas of test stores' deeds (Contract: test stores). */

const meanings: Record<(typeof testDeeds)[number], string> = {
  pay: 'a customer pays the code',
  pay_other_amount: 'a customer pays another amount: the payment goes to review',
  pay_late: 'the time to pay ends, and a customer pays after it',
  pay_twice: 'two customers pay the code: the second Pix goes back',
  take_back: 'the bank takes money back by itself (MED)',
};

export const TestDeedRequest = Type.Object(
  {
    do: Type.Union(
      testDeeds.map((deed) => Type.Literal(deed)),
      { description: testDeeds.map((deed) => `- \`${deed}\`: ${meanings[deed]}`).join('\n') },
    ),
    amount: Type.Optional(
      Type.Union([Type.Number({ minimum: 0.01, maximum: amounts.mostOfAnyStore / 100 }), Type.Null()], {
        description:
          'What is paid or taken back, in BRL, with at most two decimals. Null or absent: what the payment asks for, ' +
          'one real more for `pay_other_amount`, all that is left for `take_back`.',
        examples: [5],
      }),
    ),
  },
  { $id: 'TestDeedRequest', description: 'What the test bank is to do.' },
);

export const TestDeed = Type.Object(
  {
    paymentId: Type.String({ format: 'uuid', description: 'Identifier of the payment.' }),
    do: Type.String({ description: 'What the test bank does.' }),
  },
  { $id: 'TestDeed', description: 'What the test bank was told.' },
);

export const testDeedSchemas = [TestDeedRequest, TestDeed];
