import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BackingServiceError, reasonOf } from './backing-server.ts';
import { images } from './container-images.ts';
import { findExecutable } from './executable.ts';

const run = promisify(execFile);

/**
 * Copies nats-server out of NATS' image, with Docker or Podman. There it is linked statically, and runs on any Linux.
 * @param folder where it goes
 * @returns its path; undefined on other systems, and where there is no container engine
 * @throws BackingServiceError if the engine can't get the image
 */
export async function programFromImage(
  folder: string,
  report: (line: string) => void,
): Promise<string | undefined> {
  const engine = ['docker', 'podman'].map((name) => findExecutable(name)).find(Boolean);
  if (engine === undefined || process.platform !== 'linux') return undefined;
  report(`no nats-server on this machine: taking it from the image ${images.nats}`);
  try {
    const read = 'cat "$(command -v nats-server)"';
    const { stdout } = await run(engine, ['run', '--rm', '--entrypoint', 'sh', images.nats, '-c', read], {
      encoding: 'buffer',
      maxBuffer: 128 * 1024 * 1024,
    });
    const program = join(folder, 'nats-server');
    await writeFile(program, stdout, { mode: 0o755 });
    return program;
  } catch (error) {
    throw new BackingServiceError(`no nats-server from the image ${images.nats}: ${reasonOf(error)}`);
  }
}
