import t from 'tap';
import { splitRange } from '../src/days.ts';

type Row = [since: string, until: string, days: [string | null, string | null] | null, parts: string[]];

const table: Row[] = [
  ['', '', [null, null], []],
  ['2026-11-23T03:00Z', '2026-11-25T03:00Z', ['2026-11-23', '2026-11-25'], []],
  ['2026-11-23T04:00Z', '2026-11-25T03:00Z', ['2026-11-24', '2026-11-25'], ['23T04:00 24T03:00']],
  ['2026-11-23T03:00Z', '2026-11-25T09:00Z', ['2026-11-23', '2026-11-25'], ['25T03:00 25T09:00']],
  ['2026-11-23T04:00Z', '', ['2026-11-24', null], ['23T04:00 24T03:00']],
  ['', '2026-11-25T09:00Z', [null, '2026-11-25'], ['25T03:00 25T09:00']],
  // Two neighbouring days without a whole one.
  [
    '2026-11-23T04:00Z',
    '2026-11-24T09:00Z',
    ['2026-11-24', '2026-11-24'],
    ['23T04:00 24T03:00', '24T03:00 24T09:00'],
  ],
  ['2026-11-23T04:00Z', '2026-11-23T09:00Z', null, ['23T04:00 23T09:00']],
  ['2026-11-23T03:00Z', '2026-11-23T09:00Z', ['2026-11-23', '2026-11-23'], ['23T03:00 23T09:00']],
  ['2026-11-23T04:00Z', '2026-11-23T04:00Z', null, []],
  ['2026-11-25T04:00Z', '2026-11-23T04:00Z', null, []],
];
for (const [since, until, days, parts] of table) {
  t.test(`from ${since} until ${until}`, async (t) => {
    const at = (text: string) => (text ? { [text === since ? 'since' : 'until']: new Date(text) } : {});
    const range =
      since === until && since
        ? { since: new Date(since), until: new Date(until) }
        : { ...at(since), ...at(until) };
    const split = splitRange(range);
    const isEmpty = days === null || (days[0] !== null && days[1] !== null && days[0] >= days[1]);
    const { from, before } = split.days;
    if (isEmpty) t.ok(from !== null && before !== null && from >= before, 'no whole day');
    else t.strictSame([from, before], days);
    const short = (moment: Date) => moment.toISOString().slice(8, 16);
    t.strictSame(
      split.parts.map((part) => `${short(part.since)} ${short(part.until)}`),
      parts,
    );
  });
}
