import t from 'tap';
import { runHistories } from './run.ts';
import { newTally } from './tally.ts';

// The requested number of histories, or as many as fit a test's time.
const { HISTORIES, HISTORIES_SEED, HISTORIES_PATH: path } = process.env;
const runs = Number(HISTORIES ?? 200);
const seconds = HISTORIES ? undefined : 20;
const random = Math.floor(Math.random() * 2 ** 31);
const seeds = HISTORIES_SEED ? [Number(HISTORIES_SEED)] : [20_261_123, random];

t.setTimeout(0);
for (const seed of seeds) {
  t.test(`after each step of histories (seed ${seed}) the service agrees with the bank`, async (t) => {
    let done = 0;
    const onRun = () => void (++done % 50 === 0 && t.comment(`${done} histories`));
    const tally = newTally();
    const failure = await runHistories({ runs, seed, path, seconds, onRun, tally });
    if (failure) console.error(failure);
    for (const line of tally.lines()) t.comment(line);
    t.notOk(failure, `no difference in ${done} histories`);
  });
}
