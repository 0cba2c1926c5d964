import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@payments/local-servers/free-port';
import { stringify } from 'yaml';
import { buildImages } from './build-images.ts';
import { type Engine, findEngine } from './engine.ts';
import { payOnce, untilReady } from './payment-flow.ts';
import { podsOfDevelopment } from './pods.ts';
import { receiverPort } from './receiver-program.ts';

/**
 * `npm run test:pods`: runs the pods of the development overlay with `podman play kube`, and pays once. Arguments after
 * `--` go to the build, such as `--network host`.
 */
const adminKey = 'dev-admin-key';
const engine = findEngine(['podman']);
const hasKubectl = spawnSync('kubectl', ['kustomize', '--help']).status === 0;
if (engine && hasKubectl)
  await testPods(engine, process.argv.slice(2)).catch((error: Error) => {
    console.error(`failed: ${error.message}`);
    process.exitCode = 1;
  });
else console.log(`skipped: there is no ${engine ? 'kubectl, which renders overlays,' : 'podman'} here`);
if (process.connected) process.disconnect();

async function testPods(podman: Engine, buildOptions: string[]): Promise<void> {
  await buildImages(podman, buildOptions);
  const hostPorts = new Map<number, number>();
  for (const port of [3000, 3001, 3002, 3003, receiverPort]) hostPorts.set(port, await freePort());
  const at = (port: number) => `http://127.0.0.1:${hostPorts.get(port)}`;
  const folder = mkdtempSync(join(tmpdir(), 'payments-pods-'));
  const run = randomBytes(4).toString('hex');
  const [file, network] = [join(folder, 'pods.yaml'), `payments-${run}`];
  const manifests = podsOfDevelopment(hostPorts, run);
  writeFileSync(file, manifests.map((manifest) => stringify(manifest)).join('---\n'));
  await podman.run('network', 'create', network);
  try {
    await podman.run('play', 'kube', '--network', network, file);
    await untilReady(`${at(3000)}/health/ready`);
    await untilReady(`${at(3002)}/health/ready`);
    await untilReady(at(receiverPort));
    await payOnce(
      {
        api: at(3000),
        admin: at(3001),
        dispatcher: at(3002),
        simulator: at(3003),
        receiver: at(receiverPort),
        webhookUrl: `http://payments-receiver.dns.podman:${receiverPort}/`,
      },
      adminKey,
    );
    console.log('paid once against the pods of the development overlay: passed');
  } catch (error) {
    console.error(await logs(podman));
    throw error;
  } finally {
    await podman.run('play', 'kube', '--down', file).catch(() => {});
    for (const name of ['postgres', 'nats'])
      await podman.run('volume', 'rm', '--force', `payments-${name}-${run}`).catch(() => {});
    await podman.run('network', 'rm', '--force', network).catch(() => {});
    rmSync(folder, { recursive: true });
  }
}

async function logs(podman: Engine): Promise<string> {
  const names = await podman.run(
    'ps',
    '--all',
    '--filter',
    'name=^payments-',
    '--format',
    '{{.Names}} {{.Status}}',
  );
  const all = names.split('\n').map(async (line) => {
    const log = await podman.run('logs', '--tail', '10', line.split(' ')[0] ?? '').catch(String);
    return `--- ${line}\n${log}`;
  });
  return (await Promise.all(all)).join('\n');
}
