import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isRunning } from '@payments/local-servers/is-running';
import t from 'tap';

const bootstrap = join(import.meta.dirname, '../bootstrap.mjs');
const run = (...args: string[]) => spawnSync(process.execPath, [bootstrap, ...args], { encoding: 'utf8' });

t.test('a script runs under Node 24 with our condition, and its exit code is returned', async (t) => {
  const { status, stdout, stderr } = run('scripts/test/fixtures/ends.ts', '7');
  t.equal(status, 7);
  t.match(stdout, /^node (2[4-9]|[3-9]\d) .*--conditions=public-payments/);
  t.equal(stderr, '', 'without a set-up there is no output');
});

t.test('a missing script is one line', async (t) => {
  const { status, stderr } = run('scripts/src/nothing.ts');
  t.equal(status, 1);
  t.equal(stderr, 'setup: no such script: scripts/src/nothing.ts\n');
});

const waiting = async () => {
  const child = spawn(process.execPath, [bootstrap, 'scripts/test/fixtures/ends.ts', 'wait'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = createInterface(child.stdout);
  await once(output, 'line');
  return { child, output };
};

t.test('a signal reaches the script', async (t) => {
  const { child } = await waiting();
  child.kill('SIGTERM');
  t.same(await once(child, 'exit'), [5, null]);
});

t.test('the script learns that the bootstrap was killed', async (t) => {
  const { child, output } = await waiting();
  const closed = once(output, 'close');
  child.kill('SIGKILL');
  await closed;
  t.equal(isRunning(child.pid!), false);
  t.pass('the script has ended: its output is closed');
});
