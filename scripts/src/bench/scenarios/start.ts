import { plainFigure } from '../rates.ts';
import { judgeFigure } from '../results.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';

/** From the start of a process, built and migrated, until it says that it is ready. */
export const start: Scenario = {
  name: 'start',
  title: 'start to ready',
  run: async ({ ground, options, say }) => {
    const databaseUrl = await ground.createDatabase('bench_start', true);
    const times: Record<'api' | 'dispatcher', number[]> = { api: [], dispatcher: [] };
    for (let round = 0; round <= options.rounds; round += 1) {
      const ours = await startOurs(ground, { name: 'bench_start', databaseUrl });
      for (const { name, readyMs } of ours.processes) {
        say(`${name} was ready after ${Math.round(readyMs)} ms`);
        if (round > 0) times[name as 'api' | 'dispatcher'].push(readyMs);
      }
      await ours.stop();
    }
    await ground.dropDatabase('bench_start');
    const figures = Object.entries(times).map(([name, values]) =>
      plainFigure(name, 'start to ready', 'ms', values),
    );
    return {
      conditions: [
        'from spawning the process until `/health/ready` answers 200, one process after the other',
      ],
      figures,
      verdicts: figures.map((figure) =>
        judgeFigure(`${figure.side}: start to ready`, figure, 'ms', { atMost: 1_000 }),
      ),
      notes: [],
    };
  },
};
