import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { root, sidesFolder } from './installation.ts';

const compared = ['@nestjs/core', 'typeorm', 'class-validator', 'pg', 'fastify', 'undici', 'graphile-worker'];

/** @returns what the figures depend on besides the code: the machine, its load before, versions */
export function surroundings(): Record<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(sidesFolder, 'package.json'), 'utf8'));
  const git = ['describe', '--always', '--dirty'];
  return {
    started: new Date().toISOString(),
    revision: execFileSync('git', git, { cwd: root, encoding: 'utf8' }).trim(),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    'load average before': loadavg()[0]!.toFixed(1),
    node: process.version,
    versions: compared.map((name) => `${name} ${dependencies[name]}`).join(', '),
  };
}
