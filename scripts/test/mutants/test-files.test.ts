import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';

t.test('the tests of a package run on its changed sources, and say what they notice', async (t) => {
  const program = join(import.meta.dirname, '../fixtures/notice-changes.ts');
  const child = spawn(process.execPath, ['--conditions=public-payments', program, t.testdir()], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // The test with the source's name comes first.
  const killed = { status: 'killed', killedBy: ['test/fees.test.ts'] };
  const survived = { status: 'survived' };
  t.strictSame(JSON.parse(await text(child.stdout!)), {
    unchanged: [0, 0],
    runtime: killed,
    none: survived,
    static: killed,
    afterwards: survived,
  });
});
