import t from 'tap';
import { daysToCheck, isFinal } from '../../src/days/check-day.ts';

const long = new Date('2020-01-01T12:00:00Z');
const noon = new Date('2026-11-23T15:00:00Z');
const check = (date: string, differences = 0, checkedAt = '2026-11-23T14:00:00Z', settled = true) => ({
  date,
  settled,
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

t.test('a day is compared once more a day later, for what a bank lists hours late', async (t) => {
  const checked = (at: string) => [...week.map((day) => check(day)), check('2026-11-21', 0, at)];
  const [early, later] = ['2026-11-22T03:30:00Z', '2026-11-23T03:30:00Z'];
  t.same(daysToCheck(new Date('2026-11-23T03:29:59Z'), long, checked(early)), []);
  t.same(daysToCheck(noon, long, checked(early)), ['2026-11-21']);
  t.same(daysToCheck(noon, long, checked(later)), []);
});

t.test('a look before the day was over does not count', async (t) => {
  const table: [checkedAt: string, differences: number, isOpen: boolean][] = [
    ['2026-11-22T15:00:00Z', 0, true],
    ['2026-11-23T02:59:59Z', 0, true],
    ['2026-11-23T03:29:59Z', 0, true],
    ['2026-11-23T03:30:00Z', 0, false],
    // One that found differences is made again at once, and not six hours later.
    ['2026-11-23T03:29:59Z', 2, true],
    ['2026-11-23T09:30:00Z', 2, false],
    ['2026-11-23T15:00:00Z', 0, false],
    // A clock was ahead.
    ['2026-11-23T15:00:01Z', 0, true],
    ['2026-11-24T03:30:00Z', 2, true],
  ];
  for (const [checkedAt, differences, isOpen] of table) {
    const checked = [
      ...week.slice(0, -1).map((day) => check(day)),
      check('2026-11-22', differences, checkedAt),
    ];
    t.same(daysToCheck(noon, long, checked), isOpen ? ['2026-11-22'] : [], `${checkedAt}, ${differences}`);
  }
});

t.test('a look that settled nothing, as a person’s, is not taken for the service’s own', async (t) => {
  const others = week.slice(0, -1).map((day) => check(day));
  for (const differences of [0, 2])
    t.same(
      daysToCheck(noon, long, [...others, check('2026-11-22', differences, '2026-11-23T14:59:00Z', false)]),
      ['2026-11-22'],
    );
});

t.test('only a check after the day’s end is final', async (t) => {
  t.equal(isFinal(check('2026-11-23'), noon), false, 'today');
  t.equal(isFinal(check('2026-11-22'), noon), true);
  t.equal(isFinal(check('2026-11-21', 0, '2026-11-22T03:00:00Z'), noon), false, 'within the half hour');
});
