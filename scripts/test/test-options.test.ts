import t from 'tap';
import { readTestOptions } from '../src/test-options.ts';

t.test('what npm test runs: the whole, a part, or what is named', (t) => {
  const cases: [args: string[], runs: { checks: boolean; quick: boolean; slow: boolean }][] = [
    [[], { checks: true, quick: true, slow: false }],
    [['--all'], { checks: true, quick: true, slow: true }],
    [['--quick'], { checks: false, quick: true, slow: false }],
    [['--slow'], { checks: false, quick: false, slow: true }],
    [['--pgbouncer'], { checks: false, quick: true, slow: false }],
    [['scripts/test/readme.test.ts'], { checks: false, quick: true, slow: false }],
    [['scripts/test/build.slow.ts'], { checks: false, quick: false, slow: true }],
  ];
  for (const [args, wanted] of cases) {
    const { checks, quick, slow } = readTestOptions(args);
    t.same({ checks, quick: quick.length > 0, slow: slow.length > 0 }, wanted, args.join(' '));
  }
  t.end();
});

t.test('a folder stands for its quick tests, and a name for those that contain it', (t) => {
  const { quick, slow, grep } = readTestOptions(['packages/domain', '-t', 'a refund']);
  t.ok(quick.includes('packages/domain/test/money.test.ts'));
  t.ok(quick.every((file) => file.startsWith('packages/domain/')));
  t.same({ slow, grep }, { slow: [], grep: 'a refund' });
  t.end();
});

t.test('through PgBouncer only the services run', (t) => {
  const { quick, pgbouncer } = readTestOptions(['--pgbouncer']);
  t.ok(pgbouncer && quick.every((file) => file.startsWith('services/')));
  t.end();
});

t.test('what is not there is named', (t) => {
  t.throws(() => readTestOptions(['packages/nowhere']), { message: 'no tests at packages/nowhere' });
  t.throws(() => readTestOptions(['--sloow']), { message: /--sloow/ });
  t.end();
});
