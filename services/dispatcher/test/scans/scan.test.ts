import { connect } from '@payments/database/connection';
import { createTestDatabase } from '@payments/testing/database';
import t from 'tap';
import type { BankScan } from '../../src/scans/scan.ts';
import { byOneReplica } from '../../src/scans/scan.ts';

const database = await createTestDatabase();
const db = connect(database.url);
t.teardown(async () => {
  await db.destroy();
  await database.drop();
});

type Context = Parameters<BankScan>[0];

const intervalMs = 10_000;
const atSecond = (second: number) => ({ db, bank: 'one', now: () => new Date(second * 1_000) }) as Context;

/** Eight replicas whose scans count in one place. */
function replicas(more: readonly boolean[] = []) {
  const left = [...more];
  let ran = 0;
  const scan: BankScan = async () => {
    ran += 1;
    return left.shift() ?? false;
  };
  const scans = Array.from({ length: 8 }, () => byOneReplica('missed-pix', intervalMs, scan));
  return {
    /** @returns how many scans ran, all replicas' turn coming at a second */
    turn: async (second: number) => {
      const before = ran;
      await Promise.all(scans.map((one) => one(atSecond(second))));
      return ran - before;
    },
  };
}

t.test('of eight replicas, one scans in each interval', async (t) => {
  const { turn } = replicas();
  t.equal(await turn(100), 1);
  t.equal(await turn(105), 0);
  t.equal(await turn(109.5), 1, 'a timer is not exact');
  t.equal(await turn(130), 1);
});

t.test('a scan that has more goes on at once, on its replica', async (t) => {
  const { turn } = replicas([true, true, false]);
  t.equal(await turn(200), 1);
  t.equal(await turn(201), 1);
  t.equal(await turn(202), 1);
  t.equal(await turn(203), 0);
});

t.test('a replica whose clock was ahead by an hour does not hold up the others', async (t) => {
  const { turn } = replicas();
  t.equal(await turn(4_000), 1);
  t.equal(await turn(400), 1);
});
