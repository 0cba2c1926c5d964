import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findExecutable } from '@payments/backing-services/executable';
import { freePort } from '@payments/backing-services/free-port';
import type { Ground } from '../ground.ts';

export type Redis = { url: string; pid: number; stop(): Promise<void> };

/** Redis that keeps what it took, to within a second (`appendfsync everysec`). @returns nothing where there is none */
export async function startRedis(ground: Ground, say: (line: string) => void): Promise<Redis | undefined> {
  const program = await redisProgram(say);
  if (program === undefined) return undefined;
  const port = await freePort();
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];
  const limits = ['--maxmemory-policy', 'noeviction', '--bind', '127.0.0.1', '--dir', join(ground.dir)];
  const child = spawn(program, ['--port', String(port), ...durable, ...limits], { stdio: 'ignore' });
  await delay(500);
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid!,
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function redisProgram(say: (line: string) => void): Promise<string | undefined> {
  const find = () => findExecutable('redis-server', ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']);
  if (find() || process.getuid?.() !== 0 || !findExecutable('apt-get')) return find();
  say('installing redis-server');
  // The run level keeps it from being started for the whole machine.
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-qq', '-y', '--no-install-recommends', 'redis-server'];
  await promisify(execFile)('apt-get', install, { env }).catch(() => {});
  return find();
}
