import t from 'tap';
import { addDays, dayOf, isDay, startOf } from '../src/days.ts';

const moments: [moment: string, day: string][] = [
  ['2026-11-23T02:59:59.999Z', '2026-11-22'],
  ['2026-11-23T03:00:00Z', '2026-11-23'],
  ['2026-11-23T23:30:00-03:00', '2026-11-23'],
  ['2027-01-01T02:00:00Z', '2026-12-31'],
  // Until 2019, São Paulo had summer time.
  ['2018-12-01T01:59:59Z', '2018-11-30'],
  ['2018-12-01T02:00:00Z', '2018-12-01'],
  // The day of 23 hours, which begins at 01:00, and the day of 25, which has 23:30 twice.
  ['2018-11-04T02:59:59.999Z', '2018-11-03'],
  ['2018-11-04T03:00:00Z', '2018-11-04'],
  ['2019-02-16T23:30:00-02:00', '2019-02-16'],
  ['2019-02-16T23:30:00-03:00', '2019-02-16'],
  ['2019-02-17T03:00:00Z', '2019-02-17'],
];
for (const [moment, day] of moments) {
  t.test(`${moment} is on ${day}`, async (t) => t.equal(dayOf(new Date(moment)), day));
}

const starts: [day: string, start: string][] = [
  ['2026-11-23', '2026-11-23T03:00:00.000Z'],
  ['2018-12-01', '2018-12-01T02:00:00.000Z'],
  ['2024-02-29', '2024-02-29T03:00:00.000Z'],
  ['2018-11-03', '2018-11-03T03:00:00.000Z'],
  ['2018-11-04', '2018-11-04T03:00:00.000Z'],
  ['2018-11-05', '2018-11-05T02:00:00.000Z'],
  ['2019-02-16', '2019-02-16T02:00:00.000Z'],
  ['2019-02-17', '2019-02-17T03:00:00.000Z'],
  ['2019-02-18', '2019-02-18T03:00:00.000Z'],
  ['1900-01-01', '1900-01-01T03:06:28.000Z'],
];
for (const [day, start] of starts) {
  t.test(`${day} starts at ${start}`, async (t) => t.equal(startOf(day).toISOString(), start));
}

t.test('days have no gap and no overlap, whatever the clocks did', async (t) => {
  for (let day = '2017-10-01'; day < '2019-12-31'; day = addDays(day, 1)) {
    const start = startOf(day);
    const before = new Date(start.getTime() - 1);
    if (dayOf(start) !== day || dayOf(before) !== addDays(day, -1)) t.fail(`${day} starts at ${start}`);
  }
  const hours = (day: string) => (startOf(addDays(day, 1)).getTime() - startOf(day).getTime()) / 3_600_000;
  t.same(['2018-11-04', '2019-02-16', '2026-11-23'].map(hours), [23, 25, 24]);
});

const days: [text: string, is: boolean][] = [
  ['2026-11-23', true],
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['1899-12-31', false],
  ['2026-11-23T00:00:00Z', false],
  ['', false],
];
for (const [text, is] of days) t.test(`${text} is a day: ${is}`, async (t) => t.equal(isDay(text), is));

t.test('days are added over months and years', async (t) => {
  t.equal(addDays('2026-12-31', 1), '2027-01-01');
  t.equal(addDays('2024-03-01', -1), '2024-02-29');
});
