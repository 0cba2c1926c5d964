import t from 'tap';
import { type ServerCommand, startServerProcess } from '../src/server-process.ts';

const server = (script: string): ServerCommand => ({
  name: 'Test server',
  program: process.execPath,
  args: ['-e', script],
  orphanSignal: 'SIGKILL',
  ready: /ready/,
  failure: /FATAL/,
});

t.test('a start resolves when the log says ready, and a signal ends the server', async (t) => {
  const running = await startServerProcess(server(`console.error('ready'); setInterval(() => {}, 1000)`));
  await running.end('SIGTERM');
  t.same(await running.exited, { how: 'SIGTERM', line: 'ready' });
});

t.test('a server whose log’s disk is full runs on', { skip: process.platform !== 'linux' }, async (t) => {
  const script = `console.log('ready'); setInterval(() => {}, 1000)`;
  const running = await startServerProcess({ ...server(script), logFile: '/dev/full' });
  await running.end('SIGTERM');
  t.same(await running.exited, { how: 'SIGTERM', line: 'ready' });
});

t.test('a failed start gives its reason', async (t) => {
  const script = `console.log('FATAL: no disk'); console.log('bye'); process.exitCode = 3`;
  await t.rejects(startServerProcess(server(script)), {
    name: 'BackingServiceError',
    message: 'Test server did not start: FATAL: no disk',
  });
});

t.test('a server that ignores the signal is killed', async (t) => {
  const deaf = `process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 1000)`;
  const running = await startServerProcess(server(deaf));
  await running.end('SIGTERM', 50);
  t.match(await running.exited, { how: 'SIGKILL' });
});
