import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import { startReceivers } from '../load/receivers.ts';
import { inTurns } from '../rounds.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';

const receivers = 20;
const perReceiver = 250;

/** The webhook rate of a healthy receiver beside as many hanging ones, compared with the rate without them. */
export const hanging: Scenario = {
  name: 'hanging',
  title: 'healthy receivers beside as many that hang',
  run: async (bench) => {
    const figures = await inTurns(
      bench,
      { what: 'webhooks a second to one healthy receiver', unit: '/s', warmUps: 0 },
      [
        { side: 'all healthy', run: () => drain(bench, 0) },
        { side: 'half hangs', run: () => drain(bench, receivers / 2) },
      ],
    );
    const [all, half] = figures as [Figure, Figure];
    return { floors: [ratioFloor(half.what, [half, all], { atLeast: 0.9 })], figures };
  },
};

/** Starts a new system each time: one that knows the hanging receivers would have an advantage. */
async function drain({ ground, options }: Bench, hangingOnes: number): Promise<number> {
  const ours = await startOurs(ground);
  const [generator, stores] = [startGenerator(), startReceivers()];
  try {
    const { healthy, hanging } = await stores.listen(receivers - hangingOnes, hangingOnes);
    const { connections } = options;
    const until = { requests: receivers * perReceiver };
    await generator.run({ ...creations(ours, [...healthy, ...hanging]), connections, until });
    await stores.reset();
    await ours.dispatcher.start();
    const { firstMs, lastMs } = await stores.waitFor(perReceiver * healthy.length);
    return (perReceiver / (lastMs - firstMs)) * 1_000;
  } finally {
    await generator.stop();
    await stores.stop();
    await ours.stop();
  }
}
