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
];
for (const [moment, day] of moments) {
  t.test(`${moment} is on ${day}`, async (t) => t.equal(dayOf(new Date(moment)), day));
}

const starts: [day: string, start: string][] = [
  ['2026-11-23', '2026-11-23T03:00:00.000Z'],
  ['2018-12-01', '2018-12-01T02:00:00.000Z'],
  ['2024-02-29', '2024-02-29T03:00:00.000Z'],
];
for (const [day, start] of starts) {
  t.test(`${day} starts at ${start}`, async (t) => t.equal(startOf(day).toISOString(), start));
}

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
