import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
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
    // `cat` ends with its input. The shell that started it has by then become a program that never asks for its exit code.
    const parent = spawn('sh', ['-c', 'cat <&3 & exec sh -c "echo $!; exec sleep 60"'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    t.teardown(() => parent.kill());
    const pid = Number((await once(parent.stdout!, 'data'))[0]);
    t.equal(isRunning(pid), true);
    (parent.stdio[3] as Writable).end();
    for (let looks = 0; isRunning(pid) && looks < 1_000; looks += 1) await delay(5);
    t.equal(isRunning(pid), false);
    t.doesNotThrow(() => process.kill(pid, 0), 'its entry is still there');
    t.not(startTimeOf(process.pid), '', 'a start time tells processes apart');
  },
);
