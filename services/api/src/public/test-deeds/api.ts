import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox';
import { testDeeds } from '@payments/domain/route-charge';
import { doAtTestBank } from '@payments/settlement/charges/test-deed';
import type { PublicContext } from '../../context.ts';
import { answerOf, compileValidator, errorAnswersOf } from '../../http/answers.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { conditionOf, errors } from '../../http/errors/errors.ts';
import { amounts, paymentId } from '../payments/schemas.ts';
import { readAmount } from '../refunds/actions.ts';
import { ofStoreRequest, requestIdHeader, storeOperation } from '../store-authentication.ts';

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

const ofDeed: Conditions = {
  bodyNotAnObject: field('body', rules.object, 'The body is not a JSON object.'),
  deedOfTestUnknown: field('do', rules.oneOf(testDeeds), '`do` is missing, or none of these.'),
  amountNotANumber: field('amount', rules.number, '`amount` is not a number, or has more than two decimals.'),
  deedAmountTooLow: field('amount', rules.atLeast(0.01), '`amount` is less than 0.01.'),
  deedAmountTooHigh: field(
    'amount',
    rules.atMost(amounts.mostOfAnyStore / 100),
    `\`amount\` is more than ${amounts.mostOfAnyStore / 100}.`,
  ),
};

const schema = {
  ...storeOperation,
  operationId: 'doAtTestBank',
  summary: 'Make the test bank do something with a test store’s payment',
  description:
    'Only for test stores, whose tokens begin with `pp_test_`: no real money moves, and for any other store this path ' +
    'does not exist. What follows comes by webhook, events and reads, as it would from a real bank.',
  tags: ['Test stores'],
  params: Type.Object({ id: paymentId }),
  headers: Type.Object(requestIdHeader),
  body: Type.Unsafe<Static<typeof TestDeedRequest>>(Type.Ref('TestDeedRequest')),
  'x-request-examples': {
    pay: { summary: 'A customer pays', value: { do: 'pay' } },
    takeBack: { summary: 'The bank takes a part back', value: { do: 'take_back', amount: 5 } },
  },
  response: {
    202: answerOf('The test bank does it.', Type.Ref('TestDeed'), {
      pay: {
        summary: 'A customer pays',
        value: { paymentId: '0199f3a5-0e77-7b2c-b4d1-8c3e5a9f6027', do: 'pay' },
      },
    }),
    ...errorAnswersOf(
      ...ofStoreRequest,
      ofDeed,
      { notOfTestStore: conditionOf('routeNotFound', 'The store is no test store.') },
      'paymentNotFound',
      'testDeedRefused',
    ),
  },
};

/** Test stores make the simulated bank do something. Register it behind the store's authentication. */
export const testDeedsApi: FastifyPluginAsyncTypebox<{ context: PublicContext }> = async (
  app,
  { context },
) => {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    httpPart === 'body' ? compileValidator({ schema, references: [TestDeedRequest] }) : () => true,
  );
  // An absent body is an empty object: its deed is missing.
  const preValidation = async (request: { body: unknown }) => {
    request.body ??= {};
  };
  const config = { ofTestStores: true, readsPayment: true } as const;
  app.post('/payments/:id/test', { schema, config, preValidation }, async (request, reply) => {
    const { payment, body, store } = request;
    const amount = readAmount(body.amount);
    if (!payment) throw errors.paymentNotFound();
    const wanted = { deed: body.do, amount };
    await context.deedTurns(store.id, () => doAtTestBank(context, payment, wanted));
    return reply.code(202).send({ paymentId: payment.id, do: body.do });
  });
};
