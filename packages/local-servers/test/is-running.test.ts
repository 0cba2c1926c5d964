import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { eventually } from '@payments/testing/patience';
import t from 'tap';
import { isRunning, startTimeOf } from '../src/is-running.ts';

t.test('a process that runs, and one that has ended', async (t) => {
  t.equal(isRunning(process.pid), true);
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  t.equal(isRunning(child.pid!), false);
});

t.test('a zombie has ended', { skip: process.platform !== 'linux' && 'Linux only' }, async (t) => {
  // A `cat` ends with its input. The shell that started it might read its exit code. The `cat` that replaces the
  // shell does not, once it has repeated its input.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec cat'], {
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  });
  t.teardown(() => parent.kill());
  const pid = Number((await once(parent.stdout!, 'data'))[0]);
  parent.stdin!.write('ready');
  t.equal(String((await once(parent.stdout!, 'data'))[0]), 'ready');
  t.equal(isRunning(pid), true);
  (parent.stdio[3] as Writable).end();
  await eventually('its end', async () => !isRunning(pid) || undefined);
  t.equal(isRunning(pid), false);
  t.doesNotThrow(() => process.kill(pid, 0), 'its entry is still there');
  t.not(startTimeOf(process.pid), '', 'a start time tells processes apart');
});
