import { join } from 'node:path';
import { freePort } from '@payments/local-servers/free-port';
import t from 'tap';
import { startProcess } from '../src/processes.ts';

const service = join(import.meta.dirname, 'fixtures/service.ts');

t.test('a process is ready when its health says so, and ends on a signal', async (t) => {
  const process = startProcess(service, { PORT: String(await freePort()) });
  await process.ready;
  t.equal(await process.waitForLine(/listening/), 'listening');
  const told = process.waitForLine(/told/);
  t.same(await process.kill(), { code: 0, signal: null });
  t.equal(await told, 'told to stop');
  t.same(process.lines, ['listening', 'told to stop']);
});

t.test('a process can be killed', async (t) => {
  const process = startProcess(service, { PORT: String(await freePort()) });
  await process.ready;
  t.same(await process.kill('SIGKILL'), { code: null, signal: 'SIGKILL' });
});

t.test('a process that ends before it is ready gives the reason', async (t) => {
  const process = startProcess(service, { PORT: '1', FAIL: 'no such luck' });
  await t.rejects(process.ready, /ended before it was ready.*no such luck/s);
  t.match(await process.exited, { code: 1 });
});
