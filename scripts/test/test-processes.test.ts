import t from 'tap';
import { runTestFiles } from '../src/test-processes.ts';

const file = (name: string) => `scripts/test/fixtures/${name}.ts`;

t.test('files share a process, and one that fails or dies takes no other with it', async (t) => {
  const lines: string[] = [];
  const failures: string[] = [];
  const run = {
    env: {},
    print: (line: string) => void lines.push(line),
    failed: (failure: string) => void failures.push(failure),
  };
  const names = ['passes', 'fails', 'passes', 'dies', 'passes', 'passes'];
  const counts = await runTestFiles(names.map(file), 1, run);
  // The counts of a process that is killed end with it.
  t.strictSame(counts, { passed: 3, failed: 2, skipped: 0 });
  const ended = lines.filter((line) => /^[✓✗]/.test(line)).map((line) => line.replace(/ {2}[\d.]+ s$/, ''));
  t.strictSame(ended, [
    `✓ ${file('passes')}`,
    `✗ ${file('fails')}`,
    `✓ ${file('passes')}`,
    `✗ ${file('dies')} ended its process (SIGKILL)`,
    `✓ ${file('passes')}`,
    `✓ ${file('passes')}`,
  ]);
  t.ok(lines.some((line) => line.includes('fails, and leaves a timer')));
  t.equal(failures.length, 2);
  t.match(failures[0], `✗ ${file('fails')} ›`);
  t.match(failures[1], `✗ ${file('dies')} ended`);
});

t.test('a failure behind more than a pipe holds is told', async (t) => {
  const lines: string[] = [];
  const run = { env: {}, print: (line: string) => void lines.push(line) };
  const counts = await runTestFiles([file('fails-at-length')], 1, run);
  t.strictSame(counts, { passed: 20_000, failed: 1, skipped: 0 });
  t.ok(lines.some((line) => line.includes('the last one')));
});

t.test('an error that nobody catches fails the test that runs, by name, and no other file', async (t) => {
  const lines: string[] = [];
  const run = { env: {}, print: (line: string) => void lines.push(line) };
  const counts = await runTestFiles(['strays', 'passes'].map(file), 1, run);
  t.strictSame(counts, { passed: 3, failed: 2, skipped: 0 });
  const failures = lines.filter((line) => line.includes('›')).map((line) => line.trim().split('\n')[0]);
  const test = `✗ ${file('strays')} › an error that nobody catches`;
  t.strictSame(failures, [
    `${test} › thrown later › thrown into nothing`,
    `${test} › rejected › rejected into nothing`,
  ]);
});

t.test('a process that hangs once it has told its counts is ended, and they stand', async (t) => {
  const lines: string[] = [];
  const run = { env: {}, print: (line: string) => void lines.push(line), patienceMs: 10 };
  const counts = await runTestFiles(['passes', 'hangs-at-exit'].map(file), 1, run);
  t.strictSame(counts, { passed: 2, failed: 0, skipped: 0 });
  t.notOk(lines.some((line) => line.includes('ended its process')));
});

t.test('a process that cannot start fails, and no other is tried', async (t) => {
  const lines: string[] = [];
  const env = { NODE_OPTIONS: '--no-such-option' };
  const counts = await runTestFiles(['passes', 'passes'].map(file), 1, {
    env,
    print: (line) => void lines.push(line),
  });
  t.strictSame(counts, { passed: 0, failed: 1, skipped: 0 });
  t.strictSame(lines, ['✗ a process of tests ended its process (exit code 9)']);
});
