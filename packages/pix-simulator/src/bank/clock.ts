import type { FastifyInstance } from 'fastify';
import { settleDue } from '../refunds.ts';
import { instant } from '../shapes.ts';

type Move = { advanceSeconds?: number; now?: string };

const schema = {
  body: {
    type: 'object',
    additionalProperties: false,
    maxProperties: 1,
    properties: {
      advanceSeconds: { type: 'number', minimum: -1e9, maximum: 1e9 },
      now: { type: 'string', format: 'date-time' },
    },
  },
};

/** `POST /bank/clock` moves the bank's clock by seconds or to an instant; `{}` sets it right again. */
export function clock(app: FastifyInstance): void {
  const show = () => ({ now: instant(app.bank.clock.now()), offsetMs: app.bank.clock.offset() });
  app.post<{ Body: Move }>('/bank/clock', { schema }, async (request) => {
    const { clock } = app.bank;
    const { advanceSeconds, now } = request.body;
    if (now !== undefined) clock.setOffset(clock.offset() + Date.parse(now) - clock.now());
    else clock.setOffset(advanceSeconds === undefined ? 0 : clock.offset() + advanceSeconds * 1000);
    settleDue(app.bank);
    return show();
  });
  app.get('/bank/clock', async () => show());
}
