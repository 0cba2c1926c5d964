import { addDays, dayOf, startOf } from '@payments/domain/days';
import { sql } from 'kysely';
import t from 'tap';
import { openDatabase } from './rows.ts';

/** Lists and exports take days from `dayOf` and `startOf`, statements and totals from PostgreSQL's `day_of`. */
t.test('PostgreSQL and the domain have the same days, also of 23 and 25 hours', async (t) => {
  const { db } = await openDatabase(t);
  const moments: Date[] = [];
  for (let day = '2017-10-01'; day < '2019-03-31'; day = addDays(day, 1)) {
    const start = startOf(day).getTime();
    for (const beside of [-3_600_000, -1, 0, 3_599_999, 3_600_000]) moments.push(new Date(start + beside));
  }
  for (const text of ['2019-02-16T23:30:00-02:00', '2019-02-16T23:30:00-03:00', '2026-11-23T23:59:59-03:00'])
    moments.push(new Date(text));
  const texts = moments.map((moment) => moment.toISOString());
  const { rows } = await sql<{ day: string }>`
    select day_of(moment)::text as day
    from unnest(${texts}::timestamptz[]) with ordinality as moments (moment, n) order by n`.execute(db);
  t.strictSame(
    rows.map(({ day }) => day),
    moments.map(dayOf),
  );
});
