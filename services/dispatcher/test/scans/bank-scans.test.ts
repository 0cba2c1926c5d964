import t from 'tap';
import { openBench } from '../../../../packages/settlement/test/at-bank.ts';
import { registerCharges } from '../../src/scans/bank-scans.ts';

const bench = await openBench(t, async () => {});
const { context, db } = bench;

/** The tries of all charges that no bank has taken. */
async function waiting(): Promise<number[]> {
  const rows = await db.selectFrom('payments').select('chargeTries').where('bank', 'is', null).execute();
  return rows.map(({ chargeTries }) => chargeTries);
}

const sum = (tries: readonly number[]) => tries.reduce((all, one) => all + one, 0);

for (const fault of [{ disconnect: true }, { disconnect: true, only: ['putCob'] }])
  t.test(
    `while the bank fails, one charge probes it; when it is back, all are due: ${JSON.stringify(fault)}`,
    async (t) => {
      bench.stopClock(t);
      await bench.faults(fault);
      await bench.create(15);
      const scan = registerCharges();
      bench.advance(30);
      await scan(context);
      const tried = sum(await waiting());
      for (let turn = 1; turn <= 3; turn += 1) {
        bench.advance(10);
        t.equal(await scan(context), false);
        t.equal(sum(await waiting()), tried + turn);
      }
      await bench.faults();
      bench.advance(10);
      while (await scan(context));
      t.same(await waiting(), []);
    },
  );
