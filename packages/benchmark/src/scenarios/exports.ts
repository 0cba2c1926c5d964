import { adminKey } from '@payments/testing/service-settings';
import { fillPayments } from '../fill-tables.ts';
import { type Figure, figureFloor, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import { peakMb } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

const payments = 1_000_000;

/** Creations while a CSV of a million payments is streamed, compared with none; its first byte, and the API's memory. */
export const exports: Scenario = {
  name: 'exports',
  title: 'creations beside an export of 1,000,000 payments',
  run: async (bench) => {
    const { ground, options, say } = bench;
    await using ours = await startOurs(ground);
    await using generator = startGenerator();
    say(`  filling: ${payments} payments`);
    await fillPayments(ours.databaseUrl, payments);
    const { connections, seconds } = options;
    const job = { ...creations(ours), connections, until: { seconds } };
    const rate = async () => {
      const result = await generator.run(job);
      return result.operations / result.seconds;
    };
    const firstBytes: number[] = [];
    const beside = async () => {
      const csv = await openExport(ours);
      firstBytes.push(csv.firstByteMs);
      const perSecond = await rate();
      await csv.cancel();
      return perSecond;
    };
    const figures = await inTurns(bench, { what: 'creations a second', unit: '/s' }, [
      { side: 'no export', run: rate },
      { side: 'beside an export', run: beside },
    ]);
    const [alone, besideExport] = figures as [Figure, Figure];
    const whole = await readWhole(ours);
    const firstByte = { side: 'export', what: 'first byte', unit: 'ms', values: firstBytes };
    const memory = {
      side: 'API',
      what: 'most memory resident',
      unit: 'MB',
      values: [peakMb(ours.api.pid())],
    };
    return {
      floors: [
        ratioFloor('creations a second beside an export', [besideExport, alone], { atLeast: 0.8 }),
        figureFloor('memory of the API with an export', memory, 'MB', { atMost: 250 }),
      ],
      figures: [...figures, firstByte, memory, whole],
    };
  },
};

/** Begins an export, and reads it as fast as it comes until cancelled. */
async function openExport(ours: Ours) {
  const startedAt = performance.now();
  const { body } = await fetch(`${ours.adminUrl}/admin/payments.csv`, {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  const reader = body!.getReader();
  await reader.read();
  const firstByteMs = performance.now() - startedAt;
  const reading = (async () => {
    while (!(await reader.read()).done);
  })();
  const cancel = async () => {
    await reader.cancel();
    await reading;
  };
  return { firstByteMs, cancel, done: reading };
}

async function readWhole(ours: Ours): Promise<Figure> {
  const startedAt = performance.now();
  await (await openExport(ours)).done;
  const seconds = (performance.now() - startedAt) / 1_000;
  return { side: 'export', what: 'the whole export, no creations', unit: 's', values: [seconds] };
}
