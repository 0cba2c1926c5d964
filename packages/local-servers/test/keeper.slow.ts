import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { isRunning } from '../src/is-running.ts';

type Held = { url: string; dir: string; keeper: number };

const run = (args: string[], env = {}) =>
  spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });

const holdServers = async (guarded: ChildProcess) => {
  const holder = run([join(import.meta.dirname, 'fixtures/hold-servers.ts')], {
    GUARDED: String(guarded.pid),
  });
  const [line] = await once(createInterface(holder.stdout!), 'line');
  return { holder, held: JSON.parse(line as string) as Held };
};

const accepts = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

const until = async (holds: () => boolean) => {
  while (!holds()) await delay(20);
};

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  t.test(`servers and guarded processes end when their owner ends by ${signal}`, async (t) => {
    const guarded = run(['-e', 'setInterval(() => {}, 1000)']);
    const { holder, held } = await holdServers(guarded);
    t.ok(await accepts(held.url), 'PostgreSQL takes connections');
    const ended = once(guarded, 'exit');
    holder.kill(signal);
    t.same(await ended, [null, 'SIGTERM'], 'the guarded process gets a SIGTERM');
    await until(() => !isRunning(held.keeper));
    t.notOk(await accepts(held.url), 'PostgreSQL is gone');
    t.notOk(existsSync(held.dir), 'its data is removed');
  });
}

t.test(
  'PostgreSQL ends with its keeper, too',
  { skip: process.platform !== 'linux' && 'Linux only' },
  async (t) => {
    const guarded = run(['-e', 'setInterval(() => {}, 1000)']);
    const { holder, held } = await holdServers(guarded);
    process.kill(held.keeper, 'SIGKILL');
    while (await accepts(held.url)) await delay(20);
    t.pass('connections are refused');
    holder.kill('SIGKILL');
    guarded.kill('SIGKILL');
    const { rm } = await import('node:fs/promises');
    await rm(held.dir, { recursive: true, force: true, maxRetries: 10 });
  },
);
