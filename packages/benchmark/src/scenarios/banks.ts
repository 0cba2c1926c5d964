import { query } from '@payments/testing/sessions';
import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { startTwoBanks } from '../sides/two-banks.ts';
import { inTurns } from '../statistics.ts';

const perSecond = 40;
const perSecondAtTheOther = 10;

/** Creations of a store at one bank, while the bank of another store hangs, compared with before. */
export const banks: Scenario = {
  name: 'banks',
  title: 'creations at one bank while another hangs',
  run: async (bench) => {
    const { ground, options } = bench;
    await using two = await startTwoBanks(ground);
    await using ours = await startOurs(ground, { BANKS_FILE: two.file, SCAN_INTERVAL_SECONDS: '1' });
    await ours.dispatcher.start();
    await using measured = startGenerator();
    await using disturbing = startGenerator();
    const { connections, seconds } = options;
    const storeAt = async (bank: string) => {
      const { id, token } = await ours.createStore();
      await query(ours.databaseUrl, 'update stores set banks = array[$1] where id = $2', [bank, id]);
      return { ...creations({ url: ours.url, token }), connections, until: { seconds } };
    };
    const [well, other] = [await storeAt('well'), await storeAt('other')];
    const p99 = async () => {
      const [{ p99Ms }] = await Promise.all([
        measured.run({ ...well, rate: perSecond }),
        disturbing.run({ ...other, rate: perSecondAtTheOther }),
      ]);
      return p99Ms;
    };
    const p99WhileOtherHangs = async () => {
      await two.hang(true);
      const ms = await p99();
      await two.hang(false);
      await untilNoneWaits(ours.databaseUrl);
      return ms;
    };
    const figures = await inTurns(bench, { what: 'creations at one bank, p99', unit: 'ms' }, [
      { side: 'both well', run: p99 },
      { side: 'the other hangs', run: p99WhileOtherHangs },
    ]);
    const [before, hanging] = figures as [Figure, Figure];
    return { floors: [ratioFloor(hanging.what, [hanging, before], { atMost: 1.2 })], figures };
  },
};

/** Resolves when each charge that waited for the hanging bank has its code. */
async function untilNoneWaits(databaseUrl: string): Promise<void> {
  const waiting = `select 1 from payments where charge_state = 'unregistered' limit 1`;
  while ((await query(databaseUrl, waiting)).length > 0) await new Promise((done) => setTimeout(done, 100));
}
