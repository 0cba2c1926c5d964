import type { FastifyInstance } from 'fastify';
import { type Faults, noFaults, operations } from '../faults.ts';

const flag = { type: 'boolean' };
const milliseconds = { type: 'integer', minimum: 0, maximum: 600_000 };

const schema = {
  body: {
    type: 'object',
    additionalProperties: false,
    properties: {
      dropCallbacks: flag,
      duplicateCallbacks: flag,
      delayCallbacksMs: milliseconds,
      batchCallbacksMs: milliseconds,
      status: { type: 'integer', anyOf: [{ const: 0 }, { minimum: 400, maximum: 599 }] },
      hang: flag,
      disconnect: flag,
      latencyMs: milliseconds,
      only: { type: 'array', items: { enum: operations } },
      times: { type: 'integer', minimum: 0 },
      refuseRefunds: flag,
      slowRefundsMs: milliseconds,
      loseRefundAnswers: flag,
      loseChargeAnswers: flag,
      cutChargeAnswers: flag,
      omitPixCopiaECola: flag,
      oneTokenPerClient: flag,
      lagSeconds: { type: 'number', minimum: 0, maximum: 100_000 },
      hide: { type: 'array', items: { enum: ['charges', 'pix', 'refunds'] } },
      oddAmounts: flag,
      withoutRefundIds: flag,
      charges: { type: 'array', items: { type: 'string' } },
    },
  },
};

/** `POST /bank/faults` changes the faults that it names, `{}` and DELETE end them all, GET shows them. */
export function faults(app: FastifyInstance): void {
  app.post<{ Body: Partial<Faults> }>('/bank/faults', { schema }, async (request) => {
    const named = request.body;
    return Object.assign(app.bank.faults, Object.keys(named).length === 0 ? noFaults() : named);
  });
  app.delete('/bank/faults', async () => Object.assign(app.bank.faults, noFaults()));
  app.get('/bank/faults', async () => app.bank.faults);
}
