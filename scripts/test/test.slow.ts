import { execFile } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../src/repository.ts';

const program = join(root, 'scripts/src/test.ts');
const files = ['passes', 'fails', 'dies'].map((name) => `scripts/test/fixtures/${name}.ts`);

t.test('the last lines name each failure once more, and count', async (t) => {
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--conditions=public-payments', program, ...files], { cwd: root }, (_, out) =>
      resolve(out),
    );
  });
  const end = output.slice(output.indexOf('\nfailed:\n'));
  t.match(end, `✗ ${files[1]} › fails, and leaves a timer`);
  t.match(end, `✗ ${files[2]} ended its process (SIGKILL)`);
  // The counts of a process that is killed end with it.
  t.match(end.trim().split('\n').at(-1), /^[01] passed, 2 failed$/);
});
