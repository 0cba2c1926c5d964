import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEngine } from '@payments/image-tests/engine';
import { notesOf } from './changelog.ts';
import { checksumFile, checksumsOf } from './checksums.ts';
import { gitIn } from './git.ts';
import { buildImages, pinBase } from './images.ts';
import { writeMaterials } from './materials.ts';
import type { ReleaseOptions } from './options.ts';
import { provenance } from './provenance.ts';
import { signBytes } from './signature.ts';
import { tagVersion } from './version.ts';

export type Place = {
  /** The repository. */
  root: string;
  /** The folder of the release's files; emptied first. */
  out: string;
  /** The command that runs pnpm. */
  pnpm: readonly string[];
};

/** Makes a version: commit and tag, and its files. */
export async function release({ root, out, pnpm }: Place, options: ReleaseOptions): Promise<void> {
  const { version, platforms, buildOptions } = options;
  const startedOn = new Date();
  const git = gitIn(root);
  const pem = options.key === undefined ? undefined : readFileSync(options.key, 'utf8');
  tagVersion(git, root, version, startedOn.toISOString().slice(0, 10));
  const revision = git('rev-parse', 'HEAD');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });

  const source = `payments-${version}`;
  git('archive', `--prefix=${source}/`, '--output', join(out, `${source}.tar.gz`), revision);
  writeFileSync(join(out, 'notes.md'), notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version));
  writeMaterials(pnpm, root, out);
  const engine = options.images ? findEngine() : undefined;
  if (options.images && !engine)
    console.log('no images: no container engine responds here (docker or podman)');
  const base = engine && (options.base ?? (await pinBase(engine)));
  if (engine && base)
    await buildImages(engine, { root, out, version, revision, base, platforms, buildOptions });

  const lockfileSha256 = createHash('sha256')
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
    .digest('hex');
  const files = await checksumsOf(out);
  const finishedOn = new Date();
  const statement = provenance({
    files,
    version,
    revision,
    platforms,
    base,
    lockfileSha256,
    startedOn,
    finishedOn,
  });
  writeFileSync(join(out, 'provenance.json'), `${JSON.stringify(statement, null, 2)}\n`);
  writeSums(out, checksumFile(await checksumsOf(out)), pem);
}

/** The signature of the checksums is one of every file. */
function writeSums(out: string, sums: string, pem: string | undefined): void {
  writeFileSync(join(out, 'SHA256SUMS'), sums);
  if (pem === undefined) {
    console.log('not signed: --key names the private key');
    return;
  }
  const { bytes, publicKey } = signBytes(Buffer.from(sums), pem);
  writeFileSync(join(out, 'SHA256SUMS.sig'), bytes);
  writeFileSync(join(out, 'SHA256SUMS.pub'), publicKey);
}
