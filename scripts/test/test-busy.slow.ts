import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { root } from '../src/repository.ts';

const program = join(root, 'scripts/src/test-busy.ts');
const file = (name: string) => `scripts/test/fixtures/${name}.ts`;
const start = (name: string) =>
  spawn(process.execPath, ['--conditions=public-payments', program, file(name)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });

for (const [name, code, line] of [
  ['passes', 0, /^✓ quick tests, run \d of 2, beside \d+ busy loops: 1 passed, 0 failed, \d+ s$/gm],
  ['fails', 1, /^✗ quick tests, run \d of 2, beside \d+ busy loops: 0 passed, 1 failed, \d+ s$/gm],
] as const)
  t.test(`a file that ${name} has a line for each of its two runs`, async (t) => {
    const child = start(name);
    const [output, [exitCode]] = await Promise.all([text(child.stdout!), once(child, 'close')]);
    t.equal(exitCode, code);
    t.equal(output.match(line)?.length, 2, output);
  });

for (const [what, end] of [
  ['whoever started them', (child: ChildProcess) => child.disconnect()],
  ['a signal', (child: ChildProcess) => child.kill('SIGTERM')],
] as const)
  t.test(`the loops end with ${what}`, async (t) => {
    const child = start('passes');
    const exited = once(child, 'exit');
    await once(child.stdout!, 'data');
    end(child);
    t.same(await exited, [1, null]);
  });
