import { type BankName, banks } from '@payments/pix-simulator/banks/all';
import t from 'tap';
import { settleCharge } from '../../src/settle-charge.ts';
import { chargeOf, openBench } from '../at-bank.ts';
import { matrixLines } from './matrix-lines.ts';
import { scenarios, type World } from './scenarios.ts';

/** Each bank's profile against that bank simulated, through the whole service, over HTTP. */
const results = new Map<string, Map<string, string>>();

for (const psp of Object.keys(banks) as BankName[]) {
  t.test(psp, async (t) => {
    const env = { PIX_PSP: psp, PIX_APP_KEY: 'app-key', PIX_CALLS_PER_MINUTE: '1000000' };
    const bank = { profile: psp, unlimited: true };
    const bench = await openBench(
      t,
      async (b, id) => settleCharge(b.context, id, await chargeOf(b, id)),
      env,
      bank,
    );
    let offset = 0;
    const world: World = {
      psp,
      bench,
      timePasses: async (seconds) => {
        bench.advance(seconds);
        offset += seconds;
        await bench.system.bank('/bank/clock', {});
        await bench.system.bank('/bank/clock', { advanceSeconds: offset });
      },
    };
    const cells = new Map<string, string>();
    results.set(psp, cells);
    for (const [name, run] of Object.entries(scenarios)) {
      const failure = await run(world).then(
        () => null,
        (error: Error) => error,
      );
      if (failure) await bench.faults();
      cells.set(name, failure ? 'FAILED' : 'ok');
      t.equal(failure?.message ?? null, null, name);
    }
  });
}

t.test('the matrix', async (t) => {
  for (const line of matrixLines(results)) t.comment(line);
  t.equal(results.size, 12);
});
