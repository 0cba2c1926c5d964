import type { FastifyInstance } from 'fastify';
import { charge } from './charge.ts';
import { clock } from './clock.ts';
import { faults } from './faults.ts';
import { location } from './location.ts';
import { page } from './page.ts';
import { pay } from './pay.ts';
import { readCode } from './read-code.ts';
import { records } from './records.ts';
import { refunds } from './refunds.ts';

/** The bank's other side: payments, clock and faults, without a token; at the bank of test stores, for its clients. */
export async function bankSide(app: FastifyInstance): Promise<void> {
  if (app.bank.isTestBank)
    app.addHook('onRequest', async (request) => {
      if (request.routeOptions.url !== '/health/live') app.bank.access.check(request, 'cob.write');
    });
  page(app);
  location(app);
  readCode(app);
  pay(app);
  refunds(app);
  charge(app);
  faults(app);
  clock(app);
  records(app);
  app.get('/health/live', async () => ({ status: 'ok' }));
}
