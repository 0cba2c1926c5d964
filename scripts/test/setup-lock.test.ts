import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import t from 'tap';

const takeTurn = (root: string, ms: number) =>
  spawn(process.execPath, [join(import.meta.dirname, 'fixtures/take-turns.mjs'), root, String(ms)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });

t.test('two set-ups of one checkout take turns', async (t) => {
  const root = t.testdir();
  const turns: string[] = [];
  const processes = [1, 2, 3].map(() => takeTurn(root, 50));
  for (const { stdout } of processes) createInterface(stdout).on('line', (line) => turns.push(line));
  await Promise.all(processes.map((process) => once(process, 'close')));
  t.same(turns, ['begin', 'end', 'begin', 'end', 'begin', 'end']);
});

t.test('a killed set-up’s turn is taken over', async (t) => {
  const root = t.testdir();
  const killed = takeTurn(root, 60_000);
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'close');
  const next = takeTurn(root, 0);
  t.equal(await text(next.stdout), 'begin\nend\n');
});
