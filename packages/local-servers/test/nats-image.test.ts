import { spawnSync } from 'node:child_process';
import t from 'tap';
import { hasContainerEngine } from '../src/container-engine.ts';
import { images } from '../src/container-images.ts';
import { findExecutable } from '../src/executable.ts';
import { programFromImage } from '../src/nats-program.ts';

const hasEngine = (await hasContainerEngine()) && (findExecutable('docker') ?? findExecutable('podman'));

t.test('nats-server is taken from its image', { skip: !hasEngine && 'no container engine' }, async (t) => {
  const lines: string[] = [];
  const program = await programFromImage(t.testdir({}), (line) => lines.push(line));
  t.strictSame(lines, [`no nats-server on this machine: taking it from the image ${images.nats}`]);
  const { stdout } = spawnSync(program ?? '', ['--version'], { encoding: 'utf8' });
  t.match(stdout, /^nats-server: v2\./);
});

t.test('without an engine there is none, and nothing is said', async (t) => {
  const { PATH } = process.env;
  process.env.PATH = '';
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  t.equal(await programFromImage(t.testdir({}), t.fail), undefined);
});
