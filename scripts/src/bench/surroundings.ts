import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { root } from '../repository.ts';

const besides = [
  '@nestjs/core',
  'typeorm',
  'class-validator',
  'pg',
  'fastify',
  'undici',
  'pg-boss',
  'graphile-worker',
  'bullmq',
];

/** What a figure depends on besides the code: the machine, its load before, versions. */
export function surroundings(): Record<string, string> {
  const sides = JSON.parse(readFileSync(join(root, 'scripts/bench/package.json'), 'utf8'));
  return {
    revision: revision(),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    'load average before': loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
    node: process.version,
    versions: besides.map((name) => `${name} ${sides.dependencies[name]}`).join(', '),
  };
}

function revision(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
