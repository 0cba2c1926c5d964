import { Readable } from 'node:stream';
import t from 'tap';
import { reportTap } from '../src/tap-report.ts';

const output = `TAP version 14
# Subtest: packages/a/test/good.test.ts
    ok 1 - fine
    1..1
ok 1 - packages/a/test/good.test.ts # time=1234ms
# Subtest: packages/a/test/bad.test.ts
    # Subtest: an idea
        ok 1 - holds
        not ok 2 - one is two
          ---
          diff: |
            --- expected
            +++ actual
            -2
            +1
          at:
            lineNumber: 3
          ...
        1..2
    not ok 1 - an idea # time=5ms
    not ok 2 - postponed # TODO
    ok 3 - elsewhere # SKIP no browser
    1..3
not ok 2 - packages/a/test/bad.test.ts # time=99ms
# Subtest: packages/a/test/ends.test.ts
    ok 1 - fine
    1..1
not ok 3 - packages/a/test/ends.test.ts # time=10ms
  ---
  command: /usr/bin/node
  signal: SIGSEGV
  ...
1..3
# { total: 6, pass: 3, fail: 2, todo: 1, skip: 1 }
`;

t.test('the report has a line for each file, failures in full, and tap’s counts', async (t) => {
  const lines: string[] = [];
  const failures: string[] = [];
  const counts = await reportTap(Readable.from([output.slice(0, 200), output.slice(200)]), {
    print: (line) => void lines.push(line),
    failed: (failure) => void failures.push(failure),
  });
  t.same(counts, { passed: 3, failed: 2, skipped: 2 });
  t.same(lines, [
    '✓ packages/a/test/good.test.ts  1.2 s',
    '✗ packages/a/test/bad.test.ts  0.1 s',
    [
      '',
      '  ✗ packages/a/test/bad.test.ts › an idea › one is two',
      '      diff:',
      '        --- expected',
      '        +++ actual',
      '        -2',
      '        +1',
    ].join('\n'),
    '  – skipped packages/a/test/bad.test.ts › elsewhere: no browser',
    '✗ packages/a/test/ends.test.ts  0.0 s',
    '\n  ✗ packages/a/test/ends.test.ts\n      signal: SIGSEGV',
  ]);
  t.same(failures, [lines[2], lines[5]]);
});

t.test('a long error is shortened in the title, and complete below', async (t) => {
  const long = `${'x'.repeat(300)} end`;
  const failed = `TAP version 14\nnot ok 1 - ${long}\n  ---\n  cause:\n    message: |-\n      ${long}\n  ...\n1..1\n`;
  const lines: string[] = [];
  await reportTap(Readable.from([failed]), { print: (line) => void lines.push(line) });
  t.equal(lines[1], `\n  ✗ ${'x'.repeat(200)} …\n      cause: ${long}`);
});

t.test('there are no counts if tap ends early', async (t) => {
  t.equal(await reportTap(Readable.from(['TAP version 14\n']), { print: () => {} }), undefined);
});
