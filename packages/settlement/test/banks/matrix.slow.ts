import { type BankName, banks } from '@payments/pix-simulator/banks/all';
import t from 'tap';
import { matrixLines } from './matrix-lines.ts';
import { scenarios } from './scenarios.ts';
import { openWorld } from './world.ts';

/** Each bank's profile against that bank simulated, through the whole service, over HTTP. */
const results = new Map<string, Map<string, string>>();

for (const psp of Object.keys(banks) as BankName[]) {
  t.test(psp, async (t) => {
    const world = await openWorld(t, psp);
    const cells = new Map<string, string>();
    results.set(psp, cells);
    for (const [name, run] of Object.entries(scenarios)) {
      const failure = await run(world).then(
        () => null,
        (error: Error) => error,
      );
      if (failure) await world.bench.faults();
      cells.set(name, failure ? 'FAILED' : 'ok');
      t.equal(failure?.message ?? null, null, name);
    }
  });
}

t.test('the matrix', async (t) => {
  for (const line of matrixLines(results)) t.comment(line);
  t.equal(results.size, 12);
});
