import type { HttpAnswer } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import fc from 'fast-check';
import t from 'tap';
import { anyText, anything } from '../../docs/generated/values.ts';
import { createdFields } from './expectations.ts';

/** Random fields produce an error (Contract: error body), or a payment whose reads equal its creation. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore({ maxAmount: 1_000_000 });
const { token } = store;

const settings = { numRuns: 100, interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false };

function isErrorOrFine(answer: HttpAnswer): boolean {
  if (answer.status < 300) return true;
  const { statusCode, message } = answer.body;
  const shape = Object.keys(answer.body).sort().join() === 'message,statusCode';
  return answer.status < 500 && shape && statusCode === answer.status && typeof message === 'string';
}

t.test('creation: fields of any kind', async () => {
  const fields = { amount: anything, email: anything, observation: anything, webhookUrl: anything };
  const good = {
    amount: fc.oneof(fc.integer({ min: 5, max: 3_000 }), anything),
    email: fc.oneof(fc.emailAddress(), anything),
    observation: fc.oneof(anyText, anything),
    webhookUrl: fc.oneof(fc.webUrl(), anything),
  };
  const body = fc.oneof(
    fc.record(fields, { requiredKeys: [] }),
    fc.record(good, { requiredKeys: ['amount'] }),
    anything,
  );
  await fc.assert(
    fc.asyncProperty(body, async (given) => {
      const answer = await system.api('/api-public/payments', { token, body: JSON.stringify(given) ?? '' });
      if (!isErrorOrFine(answer)) return false;
      if (answer.status !== 200) return answer.status === 400;
      const read = await system.api(`/api-public/payments/${answer.body.id}`, { token });
      const { webhookUrl: _, ...same } = read.body;
      const isWhole = Object.keys(answer.body).sort().join() === createdFields.join();
      return isWhole && JSON.stringify(same) === JSON.stringify(answer.body);
    }),
    settings,
  );
});
