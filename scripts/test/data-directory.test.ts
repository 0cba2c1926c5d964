import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { claimDataDirectory } from '../src/data-directory.ts';

t.test('a data directory belongs to one system at a time', async (t) => {
  const dir = t.testdir();
  const release = await claimDataDirectory(dir, process.pid);
  await t.rejects(claimDataDirectory(dir, process.pid, 0), { message: /is in use by another npm start/ });
  release();
  await t.resolves(claimDataDirectory(dir, process.pid, 0));
});

t.test('a directory whose owner has ended is free, even if its process id is used again', async (t) => {
  const dir = t.testdir();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await claimDataDirectory(dir, child.pid!);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await t.resolves(claimDataDirectory(dir, process.pid, 0));
  writeFileSync(join(dir, 'in-use-by'), `${process.pid} 1`);
  await t.resolves(claimDataDirectory(dir, process.pid, 0));
});

t.test('a folder that can’t be created is one line', async (t) => {
  const dir = t.testdir({ file: '' });
  for (const folder of [join(dir, 'file/inside'), ...(process.platform === 'linux' ? ['/proc/no/such'] : [])])
    await t.rejects(claimDataDirectory(folder, 1), { message: /^DATA_DIR cannot be made: / });
});
