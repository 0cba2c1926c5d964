import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';
import { isRunning, startTimeOf } from '../src/is-running.ts';

t.test('a process that runs, and one that has ended', async (t) => {
  t.equal(isRunning(process.pid), true);
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  t.equal(isRunning(child.pid!), false);
});

t.test(
  'what nobody has waited for has ended',
  { skip: process.platform !== 'linux' && 'Linux only' },
  async (t) => {
    // The shell starts a process and becomes one that never asks for its exit code.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [pid] = await once(parent.stdout, 'data');
    while (!/Z/.test(spawnSync('cat', [`/proc/${Number(pid)}/stat`], { encoding: 'utf8' }).stdout));
    t.equal(isRunning(Number(pid)), false);
    t.not(startTimeOf(process.pid), '', 'a start time tells processes apart');
    parent.kill();
  },
);
