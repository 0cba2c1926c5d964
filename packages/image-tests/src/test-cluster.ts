import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildImages, type Engine, findEngine, imageOf, root, targets } from './engine.ts';
import { payAtTestBank, payOnce } from './payment-flow.ts';
import { receiverPort, receiverProgram } from './receiver-program.ts';

/**
 * `npm run test:cluster`: builds the images, loads them into the kind cluster of kubectl's context, applies the
 * development overlay, and pays once at the simulated bank and once at the test bank. An API server also judges the production overlay. Arguments after `--` go to the
 * build. Another context than kind's is left alone.
 */
const adminKey = 'dev-admin-key';
const namespace = 'payments-development';
const overlays = join(root, 'deploy/kubernetes/overlays');
const context = spawnSync('kubectl', ['config', 'current-context'], { encoding: 'utf8' }).stdout?.trim();
const engine = findEngine(['docker']);
if (engine && context?.startsWith('kind-'))
  await testCluster(engine, context.slice('kind-'.length), process.argv.slice(2)).catch((error: Error) => {
    console.error(`failed: ${error.message}`);
    process.exitCode = 1;
  });
else console.log(`skipped: ${engine ? 'kubectl’s context is no kind cluster' : 'there is no docker here'}`);
if (process.connected) process.disconnect();

async function testCluster(docker: Engine, cluster: string, buildOptions: string[]): Promise<void> {
  await buildImages(docker, buildOptions);
  await command('kind', ['load', 'docker-image', '--name', cluster, ...targets.map(imageOf)]);
  await kubectl(['apply', '--kustomize', join(overlays, 'development')]);
  await kubectl(['apply', '--namespace', namespace, '--filename', '-'], JSON.stringify(receiver()));
  const forwards: ChildProcess[] = [];
  const at = async (target: string, port: number, wanted?: number) => {
    const { child, url } = await forward(target, port, wanted);
    forwards.push(child);
    return url;
  };
  try {
    for (const name of ['postgres', 'nats', 'simulator', 'test-bank', 'api', 'dispatcher'])
      await inNamespace('rollout', 'status', `deployment/payments-${name}`, '--timeout=300s');
    await inNamespace('wait', '--for=condition=Ready', 'pod/payments-receiver', '--timeout=120s');
    const urls = {
      api: await at('service/payments-api', 3000),
      // The port of the overlay's ADMIN_URL, where its invitations lead.
      admin: await at('service/payments-api-admin', 3001, 3001),
      dispatcher: await at('deployment/payments-dispatcher', 3002),
      simulator: await at('service/payments-simulator', 3003),
      receiver: await at('pod/payments-receiver', receiverPort),
      webhookUrl: `http://payments-receiver:${receiverPort}/`,
    };
    await payOnce(urls, adminKey);
    console.log('paid once in the cluster');
    await payAtTestBank(urls, adminKey);
    console.log('a test store was paid at the test bank');
    await judgeProduction();
    console.log('passed');
  } catch (error) {
    console.error(await inNamespace('get', 'pods', '--output=wide').catch(String));
    const logs = ['logs', '--selector=app.kubernetes.io/part-of=public-payments', '--all-containers'];
    console.error(await inNamespace(...logs, '--prefix', '--tail=20').catch(String));
    throw error;
  } finally {
    for (const child of forwards) child.kill();
  }
}

/** The API server reads the production overlay as it would to apply it, and keeps nothing of it. */
async function judgeProduction(): Promise<void> {
  const manifests = await kubectl(['create', 'namespace', 'payments', '--dry-run=client', '--output=yaml']);
  await kubectl(['apply', '--filename', '-'], manifests);
  await kubectl(['apply', '--dry-run=server', '--kustomize', join(overlays, 'production')]);
  console.log('the API server accepts the production overlay');
}

/** A store's receiver, as confined as the services. */
function receiver() {
  const name = 'payments-receiver';
  const labels = { 'app.kubernetes.io/name': name };
  const container = {
    name: 'receiver',
    image: imageOf('api'),
    args: ['-e', receiverProgram],
    ports: [{ name: 'http', containerPort: receiverPort }],
    readinessProbe: { httpGet: { path: '/', port: 'http' } },
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
  const ports = [{ name: 'http', port: receiverPort, targetPort: 'http' }];
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: { containers: [container] } },
      { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: labels, ports } },
    ],
  };
}

/** @returns the address on this machine that leads to a port in the cluster, as long as the child runs */
async function forward(target: string, port: number, wanted: number | '' = '') {
  const args = ['port-forward', '--namespace', namespace, target, `${wanted}:${port}`];
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout)) {
    const [, local] = /127\.0\.0\.1:(\d+) ->/.exec(line) ?? [];
    if (local) return { child, url: `http://127.0.0.1:${local}` };
  }
  throw new Error(`kubectl forwards nothing to ${target}`);
}

const inNamespace = (...args: string[]) => kubectl(['--namespace', namespace, ...args]);
const kubectl = (args: string[], input?: string) => command('kubectl', args, input);

async function command(name: string, args: string[], input = ''): Promise<string> {
  const child = spawn(name, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} failed: ${printed.slice(-1_000)}`);
  return printed;
}
