import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startProcess } from '@payments/testing/processes';
import t from 'tap';

/** Start, log lines and end of a real process. */
const program = fileURLToPath(new URL('./program.ts', import.meta.url));
const start = (env: Record<string, string> = {}) => startProcess(program, { PORT: '0', ...env });
async function freePort(): Promise<number> {
  await using server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const lineOf = (text: string) => JSON.parse(text) as Record<string, unknown>;

t.test('a bad setting stops the start with one line and exit code 1', async (t) => {
  const process = start({ PORT: 'http' });
  t.strictSame(await process.exited, { code: 1, signal: null });
  const [line] = process.lines;
  t.equal(process.lines.length, 1);
  t.match(lineOf(line!), { level: 'fatal', service: 'small', msg: 'configuration: PORT must be integer' });
});

t.test('a port in use is one line, too', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const process = start({ PORT: String(port) });
  t.strictSame(await process.exited, { code: 1, signal: null });
  t.match(lineOf(process.lines[0]!), { level: 'fatal', msg: `port ${port} on 127.0.0.1 is already in use` });
});

for (const HOST of ['999.1.1.1', '203.0.113.7'])
  t.test(`${HOST}, which is no address of this machine, is one line that names HOST`, async (t) => {
    const process = start({ HOST });
    t.strictSame(await process.exited, { code: 1, signal: null });
    t.equal(process.lines.length, 1);
    const { msg } = lineOf(process.lines[0]!);
    t.match(msg, /^configuration: HOST is no address of this machine \(E[A-Z]+\)$/);
  });

t.test('a log line has level, time, service, message and fields', async (t) => {
  const process = start({ FIELDS: '{"paymentId":"p1","requestId":"r1"}' });
  t.teardown(() => process.kill('SIGKILL'));
  const line = lineOf(await process.waitForLine(/listening/));
  const { time, ...rest } = line;
  t.strictSame(rest, { level: 'info', service: 'small', paymentId: 'p1', requestId: 'r1', msg: 'listening' });
  t.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000);
});

t.test('secrets and personal data are cut out of log lines', async (t) => {
  const names = [
    'authorization',
    'token',
    'secret',
    'password',
    'email',
    'observation',
    'clientSecret',
    'webhookSecret',
    'infoPagador',
  ];
  const hidden = Object.fromEntries(names.map((name) => [name, `hidden-${name}`]));
  const fields = {
    ...hidden,
    payment: { id: 'p1', ...hidden },
    request: { headers: hidden },
    list: [hidden],
  };
  const process = start({ FIELDS: JSON.stringify(fields) });
  t.teardown(() => process.kill('SIGKILL'));
  const line = await process.waitForLine(/listening/);
  t.notMatch(line, /hidden-/);
  const cut = Object.fromEntries(names.map((name) => [name, '[redacted]']));
  t.match(lineOf(line), { ...cut, payment: { id: 'p1', ...cut }, request: { headers: cut }, list: [cut] });
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`${signal} closes what is open, then ends with code 0`, async (t) => {
    const process = start();
    await process.waitForLine(/listening/);
    t.strictSame(await process.kill(signal), { code: 0, signal: null });
    const said = process.lines.map((line) => lineOf(line).msg);
    t.strictSame(said, ['listening', 'stopping', 'closed', 'stopped'], 'every line of it written');
  });
}

t.test('lines logged just before an exit are written', async (t) => {
  const process = start({ LINES: '500', EXIT: 'now' });
  t.strictSame(await process.exited, { code: 0, signal: null });
  const [first, ...others] = process.lines.map(lineOf);
  t.match(first, { msg: 'listening' });
  t.strictSame(
    others.map(({ line }) => line),
    Array.from({ length: 500 }, (_, line) => line),
  );
});

t.test('a process whose functions are compiled while its heap is full ends, too', async (t) => {
  // Counting what ran, as the coverage does, would take more than is left of the heap.
  const env = { PORT: '0', COMPILE: '800', EXIT: 'now', NODE_V8_COVERAGE: '' };
  const process = startProcess(program, env, [], {
    nodeArgs: ['--max-old-space-size=44', '--max-semi-space-size=1'],
  });
  t.teardown(() => process.kill('SIGKILL'));
  t.strictSame(await process.exited, { code: 0, signal: null });
});

const full = { skip: !existsSync('/dev/full') };
t.test('a process whose log’s disk is full works on, and ends when it is told to', full, async (t) => {
  const port = await freePort();
  const process = startProcess(program, { PORT: String(port), LINES: '100' }, [], { logFile: '/dev/full' });
  await process.ready;
  // Once after its first line could not be written, too.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  t.equal((await fetch(`http://127.0.0.1:${port}`)).status, 200);
  t.strictSame(await process.kill(), { code: 0, signal: null });
});

t.test('a fatal error ends a process whose log’s disk is full', full, async (t) => {
  const disk = openSync('/dev/full', 'a');
  t.teardown(() => closeSync(disk));
  const { status } = spawnSync(process.execPath, ['--conditions=public-payments', program], {
    env: { ...process.env, PORT: '0', THROW: 'out of luck' },
    stdio: ['ignore', disk, disk],
    timeout: 60_000,
  });
  t.equal(status, 1);
});

t.test('a close that takes too long ends with an exit code that says so', async (t) => {
  const process = start({ GRACE_MS: '50', CLOSING_MS: '60000' });
  await process.waitForLine(/listening/);
  const { code } = await process.kill('SIGTERM');
  t.not(code, 0);
});

t.test('a fatal error is logged, closes what is open, and ends with an exit code', async (t) => {
  const process = start({ THROW: 'out of luck' });
  const { code } = await process.exited;
  t.not(code, 0);
  const fatal = lineOf(await process.waitForLine(/"fatal"/));
  t.match(fatal, { msg: 'stopping after a fatal error', err: { message: 'out of luck' } });
  t.ok(process.lines.some((line) => line.includes('closed')));
});

t.test(
  'each of a name’s addresses is tried for a second: for a long way, or while the process stands still',
  async (t) => {
    const process = start({ ADDRESSES: '1' });
    t.teardown(() => process.kill('SIGKILL'));
    t.match(lineOf(await process.waitForLine(/an address is tried/)), { ms: 1_000 });
  },
);
