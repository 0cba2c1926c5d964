import { sql } from 'kysely';
import t from 'tap';
import { toParameter } from '../src/parameters.ts';
import { openDatabase } from './rows.ts';

const texts = [
  'plain',
  '',
  'null',
  'NULL',
  ' around ',
  'a,b',
  '{a}',
  '[1]',
  'a"b',
  "it's",
  'back\\slash',
  'two\nlines\tand a tab',
  'ação 🌍',
  null,
];

t.test('what a list holds arrives as it was', async (t) => {
  const { db } = await openDatabase(t);
  const cases: [type: string, values: unknown[]][] = [
    ['text[]', texts],
    ...texts.map((text): [string, unknown[]] => ['text[]', [text]]),
    ['text[]', []],
    ['int[]', [1, -2, null]],
    ['float8[]', [0.1, 1e21, null]],
    ['boolean[]', [true, false, null]],
    ['uuid[]', ['0193aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', null]],
    ['timestamptz[]', [new Date('2026-11-22T12:34:56.789Z'), null]],
    ['bytea[]', [Buffer.from([0, 92, 34, 255]), Buffer.alloc(0)]],
  ];
  for (const [type, values] of cases) {
    const { rows } = await sql<{ list: unknown[] }>`select ${values}::${sql.raw(type)} as list`.execute(db);
    t.strictSame(rows[0]?.list, values, `${type} ${JSON.stringify(values)}`);
  }
});

t.test('what is no value is refused, and not taken for null', async (t) => {
  const { db } = await openDatabase(t);
  await t.rejects(sql`select ${[Number.NaN]}::int[]`.execute(db));
  await t.rejects(sql`select ${[new Date(Number.NaN)]}::timestamptz[]`.execute(db));
});

t.test('a list is written out where its JSON says the same', async (t) => {
  const cases: [value: unknown, parameter: unknown][] = [
    [['a', null, 1], '{"a",null,1}'],
    [[], '{}'],
    [['a\\b'], ['a\\b']],
    [['{}'], ['{}']],
    [
      [1, Number.NaN],
      [1, Number.NaN],
    ],
    [[1n], [1n]],
    ['text', 'text'],
    [7, 7],
    [null, null],
  ];
  for (const [value, parameter] of cases) t.strictSame(toParameter(value), parameter);
});
