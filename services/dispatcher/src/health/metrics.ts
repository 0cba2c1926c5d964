import type { Database } from '@payments/database/connection';
import { countRefundsNotMade } from '@payments/database/refunds';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** @returns what `/metrics` shows; what lies in the database is read when it is asked for */
export function dispatcherMetrics(db: Database): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  new Gauge({
    name: 'payments_refunds_not_made',
    help: 'Refunds that have not ended yet (unfinished), and that the PSP did not make (failed)',
    labelNames: ['state'],
    registers: [register],
    async collect() {
      this.reset();
      // Without the database the other metrics are still worth having.
      const counts = await countRefundsNotMade(db).catch(() => undefined);
      for (const [state, count] of Object.entries(counts ?? {})) this.set({ state }, count);
    },
  });
  return register;
}
