import {
  adminKey,
  type ContainerSystem,
  type Part,
  parts,
  startContainers,
  targetOf,
} from './container-system.ts';
import { buildImages, type Engine, findEngine, imageOf, type Target, targets } from './engine.ts';
import { payAtTestBank, payOnce } from './payment-flow.ts';

/** The images' labels, under org.opencontainers.image. */
const labelNames = [
  ...['title', 'description', 'version', 'revision', 'created', 'source', 'url', 'documentation'],
  ...['base.name', 'licenses', 'authors', 'vendor'],
];

/**
 * `npm run test:images`: builds the images from a clean checkout, runs them as the manifests do, and pays once at the
 * simulated bank and once, by a test store, at the test bank.
 * Arguments after `--` go to the build, such as `--network host`.
 */
const engine = findEngine();
if (engine)
  await testImages(engine, process.argv.slice(2)).catch((error: Error) => {
    console.error(`failed: ${error.message}`);
    process.exitCode = 1;
  });
else
  console.log('skipped: no container engine answers here (docker or podman; CONTAINER_ENGINE names another)');
if (process.connected) process.disconnect();

async function testImages(engine: Engine, buildOptions: string[]): Promise<void> {
  await buildImages(engine, buildOptions);
  for (const target of targets) {
    await assertConfined(engine, target);
    await assertReadable(engine, target);
  }
  const system = await startContainers(engine);
  try {
    await payOnce(system.urls, adminKey);
    console.log('paid once: created, paid, approved, both webhooks, the QR image');
    await payAtTestBank(system.urls, adminKey);
    if (!system.keepsBooks()) throw new Error('the test bank keeps no books on its volume');
    console.log('a test store was paid at the test bank, which keeps its books on its volume');
    await assertRepeatable(system);
    await assertBankChecked(system);
    const rows: string[] = [];
    for (const part of parts) rows.push(await describe(engine, system, part));
    console.log(
      [
        '',
        '| container | size of its image | start to ready | memory then | SIGTERM to end |',
        '|---|---|---|---|---|',
        ...rows,
      ].join('\n'),
    );
    console.log('\npassed');
  } catch (error) {
    console.error(await system.logs());
    throw error;
  } finally {
    await system.remove();
  }
}

/** Checks that it runs as user 1000, can't write to its file system, and has no shell. */
async function assertConfined(engine: Engine, target: Target): Promise<void> {
  const program = `
    const { writeFileSync } = require('node:fs');
    const refused = ['/app/x', '/x', '/etc/x'].every((file) => { try { writeFileSync(file, ''); } catch { return true; } });
    const shell = require('node:child_process').spawnSync('/bin/sh').error?.code;
    console.log(JSON.stringify({ uid: process.getuid(), refused, shell }));`;
  const options = ['--rm', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
  const printed = await engine.run('run', ...options, imageOf(target), '-e', program);
  const expected = JSON.stringify({ uid: 1000, refused: true, shell: 'ENOENT' });
  if (!printed.includes(expected)) throw new Error(`${imageOf(target)} is not confined: ${printed}`);
  console.log(`${imageOf(target)}: user 1000, nothing to write to, no shell`);
}

/** Checks that scanners find what is inside, with its licences, and that the labels are whole. */
async function assertReadable(engine: Engine, target: Target): Promise<void> {
  const program = `
    const { existsSync, readdirSync, readFileSync } = require('node:fs');
    const debian = readdirSync('/var/lib/dpkg/status.d');
    const versions = debian.filter((name) => /^Version: /m.test(readFileSync('/var/lib/dpkg/status.d/' + name, 'utf8')));
    const copyrights = debian.filter((name) => existsSync('/usr/share/doc/' + name + '/copyright'));
    const files = readdirSync('/app/node_modules', { recursive: true }).filter((file) => file.endsWith('package.json'));
    const packages = files.map((file) => JSON.parse(readFileSync('/app/node_modules/' + file, 'utf8')));
    const named = packages.filter(({ name, version }) => name && version).length;
    const system = /^ID=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
    const licence = existsSync('/usr/share/doc/payments/LICENSE');
    const node = existsSync('/usr/share/doc/node/LICENSE');
    console.log(JSON.stringify({ debian, versions, copyrights, named, system, licence, node }));`;
  const printed = await engine.run('run', '--rm', '--read-only', imageOf(target), '-e', program);
  const found = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  const whole = [found.versions, found.copyrights].every((names) => names.length === found.debian.length);
  const packages = target === 'simulator' ? 1 : 50;
  if (
    found.system !== 'debian' ||
    found.debian.length < 3 ||
    !whole ||
    !found.licence ||
    found.named < packages
  )
    throw new Error(`${imageOf(target)} does not tell what is inside: ${printed}`);
  const labels = await engine.run('image', 'inspect', '--format', '{{json .Config.Labels}}', imageOf(target));
  for (const name of labelNames)
    if (!JSON.parse(labels)[`org.opencontainers.image.${name}`])
      throw new Error(`${imageOf(target)} has no label ${name}`);
  const node = found.node ? 'with Node’s licence' : 'without Node’s licence, which the base image lacks';
  console.log(
    `${imageOf(target)}: ${found.debian.length} packages of Debian, ${found.named} of npm, ${node}`,
  );
}

async function assertRepeatable(system: ContainerSystem): Promise<void> {
  const log = await system.migrate();
  if (log.includes('"applied"') || !log.includes('the schema is up to date')) throw new Error(log);
  console.log('the migration ran a second time and changed nothing');
}

async function assertBankChecked(system: ContainerSystem): Promise<void> {
  const printed = await system.checkBank();
  if (!printed.endsWith('API Pix works.') || !printed.includes('✓ charge removed')) throw new Error(printed);
  console.log('bank:check proved the simulated bank from inside the API’s image');
}

async function describe(engine: Engine, system: ContainerSystem, part: Part): Promise<string> {
  const name = system.nameOf(part);
  const bytes = Number(
    await engine.run('image', 'inspect', '--format', '{{.Size}}', imageOf(targetOf(part))),
  );
  const memory = await engine.run('stats', '--no-stream', '--format', '{{.MemUsage}}', name).catch(() => '–');
  const since = performance.now();
  await engine.run('stop', '--time', '45', name);
  const stoppedMs = Math.round(performance.now() - since);
  const code = await engine.run('inspect', '--format', '{{.State.ExitCode}}', name);
  if (code !== '0') throw new Error(`${part} ended with exit code ${code}`);
  const size = `${Math.round(bytes / 1_000_000)} MB`;
  return `| ${part} | ${size} | ${system.readyMs[part]} ms | ${memory.split('/')[0]?.trim()} | ${stoppedMs} ms |`;
}
