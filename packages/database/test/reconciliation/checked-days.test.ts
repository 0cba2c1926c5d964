import { addDays, dayOf, startOf } from '@payments/domain/days';
import t from 'tap';
import { readBacklog } from '../../src/backlog.ts';
import { findCheckedDay, recordCheckedDay } from '../../src/reconciliation/checked-days.ts';
import { openDatabase } from '../rows.ts';

const figures = { pixCount: 0, pixAmount: 0, refundCount: 0, refundAmount: 0 };
const now = new Date();
const secondsLater = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

/** A check of a bank's day that found so many differences. */
function check(day: string, checkedAt: Date, differences = 0) {
  const found = Array.from({ length: differences }, () => ({ kind: 'unreadable' as const }));
  const others = { count: 0, amount: 0 };
  const about = { bank: 'default', day, checkedAt, settled: true };
  return { ...about, atBank: figures, ours: figures, others, differences: found };
}

t.test('a slow check that began earlier does not replace a newer one', async (t) => {
  const { db } = await openDatabase(t);
  const day = addDays(dayOf(now), -1);
  const [earlier, later] = [check(day, secondsLater(-60), 1), check(day, now)];
  t.equal(await recordCheckedDay(db, later, now), true);
  t.equal(await recordCheckedDay(db, earlier, now), false);
  t.match(await findCheckedDay(db, day), [{ checkedAt: now, differences: [] }]);
  t.equal(await recordCheckedDay(db, check(day, secondsLater(1), 2), secondsLater(1)), true);
  t.match(await findCheckedDay(db, day), [{ checkedAt: secondsLater(1), differences: { length: 2 } }]);
});

t.test('a check that a wrong clock wrote gives way', async (t) => {
  const { db } = await openDatabase(t);
  const day = dayOf(now);
  await recordCheckedDay(db, check(day, secondsLater(3_600), 1), secondsLater(3_600));
  t.equal(await recordCheckedDay(db, check(day, now), now), true);
  t.match(await findCheckedDay(db, day), [{ checkedAt: now, differences: [] }]);
});

t.test('only the differences of whole days count as work that waits', async (t) => {
  const { db } = await openDatabase(t);
  const differences = async () => (await readBacklog(db, { now })).reconciliationDifferences;
  await recordCheckedDay(db, check(dayOf(now), now, 1), now);
  t.equal(await differences(), 0, 'a look at today');
  const day = addDays(dayOf(now), -2);
  const end = startOf(addDays(day, 1)).getTime();
  for (const [afterEndMs, counted] of [
    [-1, 0],
    [30 * 60_000 - 1, 0],
    [30 * 60_000, 2],
    [24 * 60 * 60_000, 2],
  ] as const) {
    await recordCheckedDay(db, check(day, new Date(end + afterEndMs), 2), now);
    t.equal(await differences(), counted, `${afterEndMs} ms after the day's end`);
  }
});

t.test('differences count for the ninety days of the calendar, also late in the evening', async (t) => {
  const { db } = await openDatabase(t);
  const evening = new Date('2026-11-24T02:30:00Z');
  const [first, before] = ['2026-08-26', '2026-08-25'];
  const differences = async (at: Date) => (await readBacklog(db, { now: at })).reconciliationDifferences;
  await recordCheckedDay(db, check(first, evening, 1), evening);
  await recordCheckedDay(db, check(before, evening, 2), evening);
  t.equal(dayOf(evening), addDays(first, 89));
  t.equal(await differences(evening), 1, 'the 90th day, and not the 91st');
  t.equal(await differences(startOf(dayOf(evening))), 1);
  t.equal(await differences(startOf(addDays(dayOf(evening), 1))), 0);
});
