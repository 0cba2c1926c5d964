import { floods as kinds } from '@payments/testing/floods';
import { systemClient } from '@payments/testing/system-client';
import { fillPayments } from '../fill-payments.ts';
import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import { inTurns } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';

const payments = 120_000;
const perSecond = 50;
const pauseMs = 1_000;

/** Creations of one store while somebody else searches, signs in wrongly or guesses tokens by the hundred at once. */
export const floods: Scenario = {
  name: 'floods',
  title: 'creations beside 250 searches, 1,000 wrong sign-ins and 2,000 unknown tokens at once',
  run: async (bench) => {
    const { ground, options, say } = bench;
    const ours = await startOurs(ground);
    const generator = startGenerator();
    try {
      say(`  filling: ${payments} payments`);
      await fillPayments(ours.databaseUrl, payments);
      const { connections, seconds } = options;
      const job = { ...creations(ours), connections, rate: perSecond, until: { seconds } };
      const p99 = async () => (await generator.run(job)).p99Ms;
      const { admin } = systemClient({ ...ours, bankUrl: ground.bankUrl });
      const { body } = await admin('/admin/keys', { body: { name: 'Leitora', role: 'viewer' } });
      const target = { url: ours.url, adminUrl: ours.adminUrl, key: body.key as string };
      const beside = async (send: (typeof kinds)[number]['send']) => {
        let isOver = false;
        const flood = async () => {
          for (; !isOver; await new Promise((resolve) => setTimeout(resolve, pauseMs))) await send(target);
        };
        const measured = p99().finally(() => {
          isOver = true;
        });
        const [ms] = await Promise.all([measured, flood()]);
        return ms;
      };
      const sides = kinds.map(({ name, send }) => ({ side: name, run: () => beside(send) }));
      const figures = await inTurns(bench, { what: 'creations, p99', unit: 'ms' }, [
        { side: 'calm', run: p99 },
        ...sides,
      ]);
      const [calm, ...flooded] = figures as [Figure, ...Figure[]];
      const floors = flooded.map((figure) =>
        ratioFloor(`creations beside ${figure.side}, p99`, [figure, calm], { atMost: 3 }),
      );
      return { floors, figures };
    } finally {
      await generator.stop();
      await ours.stop();
    }
  },
};
