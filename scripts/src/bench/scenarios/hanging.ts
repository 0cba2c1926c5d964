import { fillDeliveries } from '../fill/deliveries.ts';
import { type Receivers, startReceivers } from '../load/receiver.ts';
import { plainFigure } from '../rates.ts';
import { judgeRatio } from '../results.ts';
import { interleave } from '../rounds.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { createStore } from '../stores.ts';

const receivers = 20;
const perSecond = 50;

/** What healthy receivers get while as many others hang, each on a host of its own. */
export const hanging: Scenario = {
  name: 'hanging',
  title: 'webhooks to the healthy half while the other half hangs',
  run: async (context) => {
    const { options, say } = context;
    const stores = startReceivers();
    const count = Math.round(options.seconds * perSecond) * receivers;
    const turns = [
      { name: 'all healthy', run: () => round(context, stores, count, 0) },
      { name: 'half hangs', run: () => round(context, stores, count, receivers / 2) },
    ];
    try {
      const outcomes = await interleave(turns, options.rounds, say);
      const figures = turns.map(({ name }) =>
        plainFigure(name, 'webhooks to one healthy receiver', '/s', outcomes.get(name) ?? []),
      );
      const [all, half] = figures as [(typeof figures)[0], (typeof figures)[0]];
      return {
        conditions: [
          `${count} webhooks due at once to ${receivers} receivers, each on a port of its own; half of them take requests and never answer (time-out 15 s)`,
          `a service of its own each round; the rate of one healthy receiver, from the first arrival to the last; ${options.rounds} rounds in turns after one of warm-up`,
        ],
        figures,
        verdicts: [
          judgeRatio('webhooks/s to a healthy receiver, half of all hanging', [half, all], { atLeast: 0.9 }),
        ],
        notes: [],
      };
    } finally {
      await stores.stop();
    }
  },
};

/** A new system each time: one that has learnt which receivers hang would be at an advantage. */
async function round(
  { ground, say }: BenchContext,
  stores: Receivers,
  count: number,
  hangingOnes: number,
): Promise<number> {
  const ours = await startOurs(ground, { name: 'bench_hanging' });
  try {
    const { healthy, hanging: dead } = await stores.listen(receivers - hangingOnes, hangingOnes);
    const store = await createStore(ours.databaseUrl);
    await stores.reset();
    await fillDeliveries(ours.databaseUrl, {
      storeId: store.id,
      count,
      urls: [...healthy, ...dead],
      as: 'due',
    });
    const wanted = (count / receivers) * healthy.length;
    const { count: arrived, firstMs, lastMs } = await stores.waitFor(wanted);
    if (arrived < wanted) throw new Error(`only ${arrived} of ${wanted} webhooks arrived`);
    const rate = (arrived / healthy.length / (lastMs - firstMs)) * 1_000;
    say(`  ${rate.toFixed(1)}/s to each of ${healthy.length}`);
    return rate;
  } finally {
    await stores.closeAll();
    await ours.stop();
    await ground.dropDatabase(ours.database);
  }
}
