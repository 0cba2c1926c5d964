import { Writable } from 'node:stream';
import { connect } from '@payments/database/connection';
import { readClock } from '@payments/database/health';
import { createTestDatabase } from '@payments/testing/database';
import { eventually } from '@payments/testing/system';
import { pino } from 'pino';
import t from 'tap';
import { aheadBy, databaseTime, watchClock } from '../src/database-clock.ts';

const database = await createTestDatabase();
const db = connect(database.url, { poolSize: 2 });
t.teardown(async () => {
  await db.destroy();
  await database.drop();
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Whether a time is PostgreSQL's, which is asked before and after. */
async function isDatabaseTime(now: () => Date): Promise<boolean> {
  const before = Math.floor(await readClock(db));
  const time = now().getTime();
  const after = await readClock(db);
  // Half the round trip of the sample, which a busy machine draws out.
  return time >= before - 1_000 && time <= after + 1_000;
}

const sample = (askedAt: number, at: number, answeredAt: number) => ({ askedAt, at, answeredAt });
const samples: [what: string, known: number | undefined, ReturnType<typeof sample>, ahead: number][] = [
  ['the first: half the round trip is taken off', undefined, sample(100, 5_000, 200), 4_850],
  ['what it does not disprove stays', 4_810, sample(100, 5_000, 200), 4_810],
  ['a slow answer moves nothing', 4_850, sample(0, 7_000, 5_000), 4_850],
  ['a quick one corrects what a slow one left', 4_810, sample(0, 4_900, 2), 4_898],
  ['a little behind', 4_700, sample(100, 5_000, 200), 4_800],
  ['a little ahead', 4_950, sample(100, 5_000, 200), 4_900],
  ['another server, an hour ahead', 4_850, sample(100, 5_000 + hourMs, 200), 4_800 + hourMs],
  ['another server, an hour behind', 4_850, sample(100, 5_000 - hourMs, 200), 4_900 - hourMs],
];
for (const [what, known, seen, ahead] of samples)
  t.test(`a sample: ${what}`, async (t) => t.equal(aheadBy(known, seen), ahead));

t.test('time is PostgreSQL’s, whatever the machine’s clock shows', async (t) => {
  const shown = Date.now;
  t.teardown(() => {
    Date.now = shown;
  });
  for (const days of [30, -30]) {
    Date.now = () => shown() + days * dayMs;
    const time = databaseTime(db);
    await time.sample();
    t.ok(await isDatabaseTime(time.now), `${days} days ahead`);
  }
});

t.test('no time passes for work before the first sample', async (t) => {
  t.notOk(databaseTime(db).now().getTime() > 0);
});

t.test('between samples it goes on by the monotonic clock; the next sample heals a jump of it', async (t) => {
  let ms = 0;
  const time = databaseTime(db, () => performance.now() + ms);
  await time.sample();
  const first = time.now().getTime();
  ms = 90_000;
  const passed = time.now().getTime() - first;
  t.ok(passed >= 90_000 && passed < 120_000);
  // As after the machine slept for an hour, which the monotonic clock did not count, or a failover.
  for (const jump of [-hourMs, hourMs]) {
    ms = jump;
    t.notOk(await isDatabaseTime(time.now));
    await time.sample();
    t.ok(await isDatabaseTime(time.now));
  }
});

type Line = { level: number; msg: string; differenceSeconds?: number };

t.test('a machine’s clock that is off is told once, shown, and told again when it is right', async (t) => {
  const lines: Line[] = [];
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const time = databaseTime(db);
  await time.sample();
  let [offMs, looks] = [0, 0];
  const machineClock = () => {
    looks += 1;
    return time.now().getTime() + offMs;
  };
  const clock = watchClock({ time, machineClock, log: pino(output), everyMs: 5 });
  t.teardown(clock.stop);
  const moreLooks = async () => {
    const seen = looks;
    await eventually('two more looks', async () => looks > seen + 2 || undefined);
  };
  for (const believed of [0, 110_000, -110_000]) {
    offMs = believed;
    await moreLooks();
    t.ok(clock.isBelieved());
  }
  t.same(lines, [], 'two minutes are believed');
  for (const [index, off] of [30 * dayMs, -3 * hourMs].entries()) {
    offMs = off;
    await moreLooks();
    t.notOk(clock.isBelieved());
    t.ok(Math.abs(clock.differenceMs() - off) < 10_000, 'ahead is positive');
    t.match(lines.slice(2 * index), [
      { level: 50, msg: /clock and PostgreSQL's differ: no timed work/, differenceSeconds: off / 1_000 },
    ]);
    offMs = 0;
    await moreLooks();
    t.ok(clock.isBelieved());
    t.match(lines.slice(2 * index + 1), [{ level: 30, msg: /agree again/ }]);
  }
  t.equal(lines.length, 4);
});
