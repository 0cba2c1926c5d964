import t from 'tap';
import { BenchError, readOptions } from '../src/options.ts';

const known = ['creation', 'read'];

t.test('all scenarios and the defaults, without arguments', async (t) => {
  t.same(readOptions([], known), {
    scenarios: [],
    rounds: 5,
    seconds: 5,
    connections: 50,
    report: '.data/bench/report',
    build: true,
  });
});

t.test('scenarios by name, in the order given', async (t) => {
  const options = readOptions(['read', 'creation', '--rounds', '2', '--seconds=0.5', '--no-build'], known);
  t.match(options, { scenarios: ['read', 'creation'], rounds: 2, seconds: 0.5, build: false });
});

t.test('the error names the wrong argument', async (t) => {
  const cases: [argv: string[], message: RegExp][] = [
    [['write'], /no scenario write; there are: creation, read/],
    [['--rounds', '0'], /--rounds must be a number above zero, not 0/],
    [['--rounds', '1.5'], /--rounds must be a whole number, not 1.5/],
    [['--seconds', 'ten'], /--seconds must be a number above zero, not ten/],
    [['--speed', '9'], /Unknown option '--speed'/],
  ];
  for (const [argv, message] of cases)
    t.throws(() => readOptions(argv, known), { constructor: BenchError, message }, argv.join(' '));
});
