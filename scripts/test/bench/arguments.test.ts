import t from 'tap';
import { BenchError, readArguments } from '../../src/bench/arguments.ts';

const known = ['creation', 'read'];

t.test('all scenarios and the defaults, when nothing is said', async (t) => {
  t.same(readArguments([], known), {
    scenarios: [],
    rounds: 5,
    seconds: 10,
    connections: 50,
    payments: 1_000_000,
    reviews: 100_000,
    minutes: 10,
    report: '.data/bench/report',
    profile: false,
    build: true,
  });
});

t.test('scenarios by name, in the order given', async (t) => {
  const options = readArguments(['read', 'creation', '--rounds', '2', '--seconds=0.5', '--profile'], known);
  t.match(options, { scenarios: ['read', 'creation'], rounds: 2, seconds: 0.5, profile: true });
  t.equal(readArguments(['--no-build'], known).build, false);
});

t.test('what is wrong is named', async (t) => {
  const cases: [argv: string[], message: RegExp][] = [
    [['write'], /no scenario write; there are: creation, read/],
    [['--rounds', '0'], /--rounds must be a number above zero, not 0/],
    [['--rounds', '1.5'], /--rounds must be a whole number, not 1.5/],
    [['--seconds', 'ten'], /--seconds must be a number above zero, not ten/],
    [['--speed', '9'], /Unknown option '--speed'/],
  ];
  for (const [argv, message] of cases)
    t.throws(() => readArguments(argv, known), { constructor: BenchError, message }, argv.join(' '));
});
