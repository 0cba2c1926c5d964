import t from 'tap';
import { number, renderReport, renderResult, table } from '../../src/bench/report.ts';
import { bestOf, type Figure, judgeFigure, judgeRatio } from '../../src/bench/results.ts';

const figure = (side: string, values: number[], more: Partial<Figure> = {}): Figure => ({
  side,
  what: 'reads',
  unit: '/s',
  values,
  cpu: {},
  peakMb: {},
  ...more,
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

t.test('cells cannot break a table', async (t) => {
  t.equal(table(['a', 'b'], [['x|y', 'z\nz']]), '| a | b |\n|---|---|\n| x\\|y | z z |');
});

t.test('a scenario shows medians, spread, CPU by process and memory', async (t) => {
  const mine = figure('ours', [900, 1000, 1100], {
    cpu: { api: [0.6, 0.5, 0.4], load: [0.1, 0.1, 0.1], NATS: [0, 0, 0] },
    peakMb: { api: 120.4 },
  });
  const result = {
    name: 'read',
    title: 'reads',
    conditions: ['50 connections'],
    figures: [mine],
    verdicts: [],
    notes: [],
  };
  t.equal(
    renderResult(result),
    [
      '## read: reads',
      '- 50 connections',
      [
        '| side | what | median | spread | CPU s per 1000 | peak MB |',
        '|---|---|---|---|---|---|',
        '| ours | reads | 1000 /s | 900 – 1100 | 0.60 (api 0.50, load 0.10) | api 120 |',
      ].join('\n'),
    ].join('\n\n'),
  );
});

t.test('verdicts stand beside what is wanted', async (t) => {
  const [mine, other] = [figure('ours', [800, 900, 1000]), figure('bare', [1000, 1000, 1000])];
  const latency = figure('ours', [70], { unit: 'ms' });
  const report = renderReport({
    command: 'npm run bench -- read',
    startedAt: '2026-11-21T09:00:00.000Z',
    surroundings: { node: 'v24' },
    results: [
      {
        name: 'read',
        title: 'reads',
        conditions: [],
        figures: [mine, other],
        verdicts: [
          judgeRatio('reads/s', [mine, other], { atLeast: 0.75 }),
          judgeRatio('reads/s', [mine, other], { atLeast: 3.5 }),
          judgeFigure('p99', latency, 'ms', { atMost: 60 }),
        ],
        notes: ['seen'],
      },
    ],
  });
  t.match(report, '| read | reads/s | bare | 0.9 | 0.8 – 1 | ≥ 0.75 | met |');
  t.match(report, '| read | reads/s | bare | 0.9 | 0.8 – 1 | ≥ 3.5 | **missed** |');
  t.match(report, '| read | p99 | – | 70 ms |  | ≤ 60 ms | **missed** |');
  t.match(report, '| command | `npm run bench -- read` |');
  t.match(report, '- seen');
});

t.test('the best of several is the one with the greatest median', async (t) => {
  const [slow, fast] = [figure('slow', [1, 99, 2]), figure('fast', [3, 4, 5])];
  t.equal(bestOf([slow, fast])?.side, 'fast');
  t.equal(bestOf([]), undefined);
});
