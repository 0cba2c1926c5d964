import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '@payments/image-tests/engine';
import { programs } from './materials.ts';

export type Build = {
  root: string;
  out: string;
  version: string;
  revision: string;
  /** The base image, by digest. */
  base: string;
  platforms: readonly string[];
  buildOptions: readonly string[];
};

const baseTag = 'docker.io/library/node:24.19.0-slim';

/**
 * @returns the base image by digest, as its tag is now at the registry, or else on this machine
 * @throws Error if it is in neither place
 */
export async function pinBase(engine: Engine): Promise<string> {
  await engine
    .run('pull', baseTag)
    .catch(() => console.log(`no registry has ${baseTag}: taking this machine's`));
  const digest = await engine
    .run('image', 'inspect', '--format', '{{index .RepoDigests 0}}', baseTag)
    .catch(() => '');
  if (/@sha256:/.test(digest)) return digest;
  throw new Error(`${baseTag} has no digest here: name one with --base`);
}

/** Builds each program for each platform that the engine can run, from a clean checkout, into archives in `out`. */
export async function buildImages(engine: Engine, build: Build): Promise<void> {
  const checkout = mkdtempSync(join(tmpdir(), 'payments-release-'));
  try {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${build.root}`, checkout]);
    for (const platform of build.platforms) {
      if (await runs(engine, platform, build.base))
        for (const program of programs) await buildOne(engine, build, { checkout, platform, program });
      else
        console.log(
          `not built: ${platform}, which this engine can't run (it needs QEMU's binfmt, or such a machine)`,
        );
    }
  } finally {
    rmSync(checkout, { recursive: true });
  }
}

async function runs(engine: Engine, platform: string, base: string): Promise<boolean> {
  const arch = platform.split('/')[1] === 'amd64' ? 'x64' : platform.split('/')[1];
  const print = ['node', '-p', 'process.arch'];
  return (await engine.run('run', '--rm', '--platform', platform, base, ...print).catch(() => '')) === arch;
}

type One = { checkout: string; platform: string; program: (typeof programs)[number] };

async function buildOne(engine: Engine, build: Build, { checkout, platform, program }: One): Promise<void> {
  const { version, revision, base, out } = build;
  const name = `payments-${program}:${version}-${platform.replaceAll('/', '-')}`;
  const args = { NODE_IMAGE: base, VERSION: version, REVISION: revision };
  const given = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]);
  const file = ['-f', join(checkout, 'deploy/Dockerfile'), '--target', program];
  await engine.run(
    'build',
    ...build.buildOptions,
    '--platform',
    platform,
    ...given,
    ...file,
    '-t',
    name,
    checkout,
  );
  await engine.run('save', '--output', join(out, `${name.replace(':', '-')}.tar`), name);
  console.log(`built ${name}`);
}
