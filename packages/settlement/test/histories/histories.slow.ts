import t from 'tap';
import { runHistories } from './run.ts';
import { newTally } from './story.ts';
import type { Kind } from './world.ts';

// The requested number of histories, or as many as fit a test's time.
const { HISTORIES, HISTORIES_SEED, HISTORIES_BANKS, HISTORIES_BRIEF, HISTORIES_PATH: path } = process.env;
const runs = Number(HISTORIES ?? 40);
const seconds = HISTORIES ? undefined : 40;
// The same for every change; `npm run histories` draws others.
const seeds = [Number(HISTORIES_SEED ?? 20_261_123)];

t.setTimeout(0);
const worlds = HISTORIES_BANKS ? [HISTORIES_BANKS as Kind] : (['1', '2', 'account'] as const);
const names = { 1: 'one bank', 2: 'two banks', account: 'two keys of one account' };

for (const [seed, banks] of seeds.flatMap((one) => worlds.map((count) => [one, count] as const))) {
  const what = `histories with ${names[banks]} (seed ${seed})`;
  t.test(`after each step of ${what} the service agrees with the banks`, async (t) => {
    let done = 0;
    const onRun = () => void (++done % 50 === 0 && t.comment(`${done} histories`));
    const tally = newTally();
    const failure = await runHistories({
      ...{ runs, seed, banks, path, seconds, onRun, tally },
      isBrief: HISTORIES_BRIEF !== undefined,
    });
    if (failure) console.error(failure);
    for (const line of tally.lines()) t.comment(line);
    t.notOk(failure, `no difference in ${done} histories`);
  });
}
