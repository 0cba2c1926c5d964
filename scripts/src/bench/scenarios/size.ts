import { fillPayments } from '../fill/payments.ts';
import { startLoad } from '../load/load.ts';
import { compareLoads, perSecond } from '../rates.ts';
import { type Figure, judgeRatio } from '../results.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { createStore } from '../stores.ts';
import { creationJob } from './requests.ts';

const few = 10_000;

/** Creations while many payments exist, beside few. */
export const size: Scenario = {
  name: 'size',
  title: 'creations while many payments exist',
  run: async (context) => {
    const { ground, options, say } = context;
    const load = startLoad();
    const big = await startOurs(ground, { name: 'bench_size_big' });
    const small = await startOurs(ground, { name: 'bench_size_small' });
    try {
      const requests = [];
      for (const [side, count] of [
        [big, options.payments],
        [small, few],
      ] as const) {
        const store = await createStore(side.databaseUrl);
        say(`filling: ${count} payments with events and deliveries`);
        await fillPayments(side.databaseUrl, { storeId: store.id, count, withDeliveries: true });
        requests.push({ name: `ours, ${count} payments`, side, job: creationJob(side.url, store) });
      }
      const figures = await compareLoads(context, load, perSecond('creations'), requests);
      return {
        conditions: [
          `databases with ${options.payments} and ${few} payments, their events and deliveries`,
          `${options.connections} connections, ${options.rounds} rounds of ${options.seconds} s, in turns`,
        ],
        figures,
        verdicts: [
          judgeRatio(`creations/s at ${options.payments} payments`, figures as [Figure, Figure], {
            atLeast: 0.9,
          }),
        ],
        notes: [],
      };
    } finally {
      await load.stop();
      for (const side of [big, small]) {
        await side.stop();
        await ground.dropDatabase(side.database);
      }
    }
  },
};
