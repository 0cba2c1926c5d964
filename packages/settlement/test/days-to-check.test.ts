import t from 'tap';
import { daysToCheck } from '../src/days-to-check.ts';

const long = new Date('2020-01-01T12:00:00Z');
const noon = new Date('2026-11-23T15:00:00Z');
const check = (date: string, differences = 0, checkedAt = '2026-11-23T14:00:00Z') => ({
  date,
  differences,
  checkedAt: new Date(checkedAt),
});
const week = ['16', '17', '18', '19', '20', '21', '22'].map((day) => `2026-11-${day}`);

t.test('each day of the last week that was never compared', async (t) => {
  t.same(daysToCheck(noon, long, []), week);
  t.same(
    daysToCheck(
      noon,
      long,
      week.slice(0, -1).map((day) => check(day)),
    ),
    ['2026-11-22'],
  );
  t.same(
    daysToCheck(
      noon,
      long,
      week.map((day) => check(day)),
    ),
    [],
  );
});

t.test('no day before the bank was configured', async (t) => {
  t.same(daysToCheck(noon, new Date('2026-11-21T20:00:00Z'), []), ['2026-11-21', '2026-11-22']);
  t.same(daysToCheck(noon, noon, []), []);
});

t.test('a day waits half an hour for what a bank lists late', async (t) => {
  const checked = week.slice(0, -1).map((day) => check(day));
  t.same(daysToCheck(new Date('2026-11-23T03:29:00Z'), long, checked), []);
  t.same(daysToCheck(new Date('2026-11-23T03:30:00Z'), long, checked), ['2026-11-22']);
});

t.test('a day that differed is compared again every six hours', async (t) => {
  const checked = week.map((day) => check(day));
  const differed = (at: string) => [...checked.slice(1), check('2026-11-16', 2, at)];
  t.same(daysToCheck(noon, long, differed('2026-11-23T09:01:00Z')), []);
  t.same(daysToCheck(noon, long, differed('2026-11-23T09:00:00Z')), ['2026-11-16']);
});
