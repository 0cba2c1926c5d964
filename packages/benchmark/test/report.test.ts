import t from 'tap';
import { type Figure, figureFloor, isMet, ratioFigure, ratioFloor } from '../src/floors.ts';
import { number, renderReport } from '../src/report.ts';

const figure = (side: string, values: number[], unit = '/s'): Figure => ({
  side,
  what: 'reads',
  unit,
  values,
});

t.test('numbers show three digits', async (t) => {
  const cases: [value: number, expected: string][] = [
    [12_345.6, '12346'],
    [123.4, '123'],
    [12.345, '12.3'],
    [0.012345, '0.0123'],
    [2, '2'],
    [Number.NaN, '–'],
  ];
  for (const [value, expected] of cases) t.equal(number(value), expected);
});

t.test('a ratio compares medians, its range the rounds', async (t) => {
  const ratio = ratioFloor('reads', [figure('a', [100, 50, 90]), figure('b', [200, 100, 100])], {
    atLeast: 0.9,
  });
  t.match(ratio, { value: 0.9, low: 0.5, high: 0.9, met: true });
  t.notOk(isMet(Number.NaN, { atLeast: 0 }), 'a failed measurement meets no floor');
  t.notOk(isMet(Number.NaN, { atMost: 1 }));
});

t.test('a ratio without a floor is a figure', async (t) => {
  t.same(ratioFigure([figure('a', [100, 50], 'ms'), figure('b', [200, 20], 'ms')]), {
    side: 'a',
    what: 'reads, beside b',
    unit: '×',
    values: [0.5, 2.5],
  });
});

t.test('floors come with their measurements, and the figures below', async (t) => {
  const [mine, other] = [figure('ours', [800, 900, 1000]), figure('bare', [1000, 1000, 1000])];
  const latency = figure('ours', [70], 'ms');
  const report = renderReport({
    command: 'npm run bench -- read',
    surroundings: { node: 'v24' },
    scenarios: [
      {
        name: 'read',
        floors: [
          ratioFloor('reads/s', [mine, other], { atLeast: 0.75 }),
          ratioFloor('reads/s', [mine, other], { atLeast: 3.5 }),
          figureFloor('p99', latency, 'ms', { atMost: 60 }),
        ],
        figures: [mine],
      },
    ],
  });
  t.match(report, '- command: `npm run bench -- read`\n- node: v24');
  t.match(report, '| read | reads/s | bare | ≥ 0.75 | 0.9 | 0.8 – 1 | met |');
  t.match(report, '| read | reads/s | bare | ≥ 3.5 | 0.9 | 0.8 – 1 | **missed** |');
  t.match(report, '| read | p99 |  | ≤ 60 ms | 70 ms | 70 – 70 | **missed** |');
  t.match(report, '| read | ours | reads | 900 /s | 800 – 1000 |');
});
