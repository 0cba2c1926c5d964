import t from 'tap';
import { calendar } from '../../../src/administration/books/reconciliation-page.ts';
import { axisTop, chart } from '../../../src/administration/books/totals-page.ts';
import { dateTimeOf, dayOfField } from '../../../src/administration/kit/form-values.ts';

/** Texts that a person reads on the panel’s pages: weeks, an axis, and Brazilian dates. */
const text = (html: unknown) =>
  String(html)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

t.test('the calendar has weeks, which begin on Sunday', async (t) => {
  const page = String(calendar('2026-11-26', []));
  const [november = '', october = ''] = page.split('<section').slice(1);
  t.match(text(november), 'Novembro de 2026 dom seg ter qua qui sex sáb 1 não conferido');
  t.match(november, '<th scope="col"><abbr title="domingo">dom</abbr></th>');
  const rows = (month: string) =>
    month
      .split('<tr>')
      .slice(2)
      .map((row) =>
        row
          .split('<td>')
          .slice(1)
          .map((cell) => Number.parseInt(text(cell), 10) || 0),
      );
  t.strictSame(rows(november), [
    [1, 2, 3, 4, 5, 6, 7],
    [8, 9, 10, 11, 12, 13, 14],
    [15, 16, 17, 18, 19, 20, 21],
    [22, 23, 24, 25, 26, 0, 0],
  ]);
  t.strictSame(rows(october)[0], [0, 0, 0, 0, 1, 2, 3]);
  t.strictSame(rows(october).at(-1), [25, 26, 27, 28, 29, 30, 31]);
  t.equal(page.match(/class="day /g)?.length, 90);
});

t.test('the chart has an axis of money, and one of days or names', async (t) => {
  for (const [most, top] of [
    [1, 100],
    [100, 100],
    [101, 200],
    [252_055, 300_000],
    [600_001, 800_000],
    [999_999, 1_000_000],
    [1_000_000, 1_000_000],
    [1_318_486, 2_000_000],
  ] as const)
    t.equal(axisTop(most), top, `${most}`);
  const bars = Array.from({ length: 30 }, (_, day) => ({
    label: `${day + 1}/11/2026`,
    short: `${String(day + 1).padStart(2, '0')}/11`,
    amount: day * 8_000,
  }));
  const drawn = String(chart('Valor aprovado', bars));
  t.match(text(drawn), 'R$ 3.000 R$ 1.500 R$ 0');
  t.strictSame(
    [...drawn.matchAll(/<text[^>]*>([^<]+)</g)].map(([, name]) => name),
    ['01/11', '06/11', '11/11', '16/11', '21/11', '26/11'],
  );
  t.equal(drawn.match(/<line/g)?.length, 3);
  t.equal(text(chart('x', [{ label: 'x', short: 'x', amount: 101 }])).split(' x:')[0], 'R$ 2 R$ 1 R$ 0');
  t.equal(String(chart('x', [{ label: 'x', short: 'x', amount: 0 }])), '', 'no picture of nothing');
  t.equal(String(chart('x', [])), '');
});

t.test('days and times are read as Brazilians write them, and as links have them', async (t) => {
  for (const [given, day] of [
    ['23/11/2026', '2026-11-23'],
    [' 3/4/2026 ', '2026-04-03'],
    ['2026-11-23', '2026-11-23'],
    ['11-23-2026', '11-23-2026'],
    ['', ''],
  ] as const)
    t.equal(dayOfField({ day: given }, 'day'), day, given);
  for (const [given, moment] of [
    ['23/11/2026 14:30', '2026-11-23T17:30:00.000Z'],
    ['3/4/2026 8:05', '2026-04-03T11:05:00.000Z'],
    ['2026-11-23T14:30', '2026-11-23T17:30:00.000Z'],
  ] as const)
    t.equal(dateTimeOf({ at: given }, 'at')?.toISOString(), moment, given);
  t.equal(dateTimeOf({ at: '' }, 'at'), null);
  for (const wrong of ['31/02/2026 10:00', '23/11/2026', '23/11/2026 25:00', 'amanhã'])
    t.throws(() => dateTimeOf({ at: wrong }, 'at'), { statusCode: 400 } as unknown as Error, wrong);
});
