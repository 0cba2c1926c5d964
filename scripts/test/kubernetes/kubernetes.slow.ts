import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiSettings, trustedProxies } from '@payments/api/settings';
import { readBanks } from '@payments/pix/bank-settings';
import { readEnvironment } from '@payments/runtime/environment';
import { createAddressPolicy } from '@payments/webhooks/addresses';
import { webhookPolicy } from '@payments/webhooks/settings';
import t from 'tap';
import { root } from '../../src/repository.ts';
import { findsNames, isRestricted, refersToWhatThereIs } from './checks.ts';
import { folder, type Manifest, podOf, rendered, written } from './manifests.ts';
import { labelsOf, letsOut, policiesFor } from './policies.ts';
import { violations } from './schema.ts';

const overlays = ['development', 'production'];
const kubectl = rendered('production') ? {} : { skip: 'there is no kubectl here, which renders overlays' };

t.test('every manifest file is valid for Kubernetes', async (t) => {
  t.same(await violations(written()), []);
});

t.test('the check is strict: it finds a wrong field, a wrong value and a missing one', async (t) => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'wrong' } };
  const wrongs: [field: string, ports: unknown[]][] = [
    ['tragetPort', [{ port: 80, tragetPort: 'http' }]],
    ['port', [{ port: 'http' }]],
    ['port', [{ name: 'http' }]],
  ];
  for (const [field, ports] of wrongs) {
    const found = await violations([{ ...service, spec: { ports } }]);
    t.match(found.join('\n'), field, JSON.stringify(ports));
  }
});

for (const overlay of overlays) {
  t.test(`the ${overlay} overlay renders to valid manifests`, kubectl, async (t) => {
    const manifests = rendered(overlay) ?? [];
    t.same(await violations(manifests), []);
    const ours = manifests.filter(
      (manifest) => podOf(manifest) && !/postgres|nats/.test(manifest.metadata.name),
    );
    t.ok(ours.length >= 3);
    for (const manifest of ours) isRestricted(t, manifest);
    const secrets = manifests.filter(({ kind }) => kind === 'Secret');
    t.equal(secrets.length > 0, overlay === 'development', 'production refers to existing Secrets');
    refersToWhatThereIs(t, manifests);
    findsNames(t, manifests);
    const images = manifests.flatMap((one) => podOf(one)?.containers ?? []).map(({ image }) => image);
    const built = images.filter((image) => /^payments-\w+:development$/.test(image));
    // The API and its migration, the dispatcher, the simulated bank and the test bank.
    t.equal(
      built.length,
      overlay === 'development' ? 5 : 0,
      'development has the images that were built here',
    );
  });
}

t.test('production: reachable addresses', kubectl, async (t) => {
  const manifests = rendered('production') ?? [];
  const dispatcher = policiesFor(manifests, labelsOf('dispatcher'));
  const api = policiesFor(manifests, labelsOf('api'));
  t.ok(
    dispatcher.some(({ spec }) => !spec.ingress && !spec.egress && spec.policyTypes.length === 2),
    'all is denied',
  );
  for (const internal of ['10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '127.0.0.1'])
    for (const policies of [dispatcher, api]) t.equal(letsOut(policies, internal, 443), false, internal);
  t.equal(letsOut(dispatcher, '93.184.215.14', 8443), true, 'a receiver on the internet');
  t.equal(letsOut(api, '93.184.215.14', 8443), true, 'a receiver of the panel’s test events');
  const admits = api.flatMap(({ spec }) => spec.ingress ?? []).filter(({ ports }) => hasPort(ports, 3001));
  for (const { from } of admits)
    t.notOk(
      JSON.stringify(from).includes('"public-payments.internal/ingress":"true"'),
      'no ingress controller to the admin port',
    );
});

t.test('a namespace may have other pods: no policy chooses them', kubectl, async (t) => {
  const manifests = rendered('production') ?? [];
  for (const component of ['api', 'dispatcher', 'migration'])
    t.same(policiesFor(manifests, { 'app.kubernetes.io/component': component }), []);
  t.same(policiesFor(manifests, {}), []);
});

t.test('labels: the usual ones on each workload and pod, ours under a domain', kubectl, async (t) => {
  const manifests = rendered('production') ?? [];
  const [, version] = /^ARG VERSION=(.+)$/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')) ?? [];
  const workloads = manifests.filter(podOf);
  t.equal(workloads.length, 3);
  for (const { metadata, spec } of workloads)
    for (const { labels } of [metadata, spec.template.metadata])
      t.match(labels, {
        'app.kubernetes.io/name': metadata.name,
        'app.kubernetes.io/part-of': 'public-payments',
        'app.kubernetes.io/instance': 'payments',
        'app.kubernetes.io/version': version,
        'app.kubernetes.io/managed-by': 'kustomize',
      });
  const ours = JSON.stringify(written()).matchAll(/"(public-payments[^"/]*)\/\w+"/g);
  t.same(new Set([...ours].map(([, prefix]) => prefix)), new Set(['public-payments.internal']));
});

t.test('the migration’s Job is replaced by Argo CD and by Flux, and stays until then', async (t) => {
  const job = written().find(({ kind }) => kind === 'Job');
  t.match(job.metadata.annotations, {
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
    'kustomize.toolkit.fluxcd.io/force': 'enabled',
  });
  t.equal(job.spec.ttlSecondsAfterFinished, undefined);
});

t.test('services and migration have two database roles, and the services a key for secrets', async (t) => {
  const manifests = written();
  for (const { kind, metadata, spec } of manifests.filter((one) => /^(Deployment|Job)$/.test(one.kind))) {
    if (!/^payments-(api|dispatcher|migration)$/.test(metadata.name)) continue;
    const pod = spec.template.spec;
    for (const { env } of [...(pod.initContainers ?? []), ...pod.containers]) {
      const reference = (name: string) =>
        env.find((one: Manifest) => one.name === name)?.valueFrom.secretKeyRef;
      t.equal(reference('DATABASE_URL').key, kind === 'Job' ? 'migration-url' : 'url', metadata.name);
    }
    const key = pod.containers[0].env.find(({ name }: Manifest) => name === 'SECRETS_KEY');
    if (kind === 'Deployment') t.notOk(key.valueFrom.secretKeyRef.optional, metadata.name);
  }
});

t.test('the example of an egress gateway chooses what sends webhooks', async (t) => {
  const { spec } = written().find(({ kind }) => kind === 'CiliumEgressGatewayPolicy');
  const chosen = spec.selectors.map(({ podSelector }: Manifest) => podSelector.matchLabels);
  for (const [index, component] of ['dispatcher', 'api'].entries())
    t.match(chosen[index], { ...labelsOf(component), 'io.kubernetes.pod.namespace': 'payments' });
});

t.test('monitoring reaches metrics alone', async (t) => {
  const manifests = written();
  const port = Number(settingsOf('base').METRICS_PORT);
  const rules = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .flatMap(({ spec }) => spec.ingress ?? [])
    .filter(({ from }) => JSON.stringify(from)?.includes('public-payments.internal/monitoring'));
  t.strictSame(
    rules.flatMap(({ ports }) => ports),
    [{ protocol: 'TCP', port }],
  );
  for (const name of ['payments-api', 'payments-dispatcher']) {
    const deployment = manifests.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === name,
    );
    const { metadata, spec } = deployment.spec.template;
    t.equal(metadata.annotations['prometheus.io/port'], String(port));
    t.match(
      spec.containers[0].ports.filter((each: Manifest) => each.name === 'metrics'),
      [{ containerPort: port }],
    );
  }
  const monitors = manifests.filter(({ kind }) => kind === 'PodMonitor');
  for (const { spec } of monitors)
    for (const endpoint of spec.podMetricsEndpoints) t.equal(endpoint.port, 'metrics');
});

const hasPort = (ports: Manifest[], port: number) => ports.some((each) => each.port === port);

t.test('the dispatcher’s egress policy blocks the ranges that it refuses itself', async (t) => {
  const manifests = written();
  const [policy] = manifests.filter(({ metadata }) => metadata.name === 'payments-to-receivers');
  const { allows } = createAddressPolicy([]);
  const v4 = Array.from({ length: 5_000 }, () => [0, 0, 0, 0].map(() => randomInt(256)).join('.'));
  const v6 = Array.from({ length: 2_000 }, () => {
    const groups = Array.from({ length: 8 }, () => randomInt(65_536).toString(16));
    const begins = [
      ['2001', '0'],
      ['2001', 'db8'],
      ['2002'],
      ['3fff', '1'],
      ['fd00'],
      ['fe80'],
      ['64', 'ff9b'],
      [],
    ];
    const begin = begins[randomInt(begins.length)] ?? [];
    return [...begin, ...groups.slice(begin.length)].join(':');
  });
  const edges = policy.spec.egress[0].to.flatMap(({ ipBlock }: Manifest) =>
    ipBlock.except.map((cidr: string) => cidr.split('/')[0]),
  );
  const differ = [...v4, ...v6, ...edges].filter(
    (address) => letsOut([policy], address, 443) !== allows(address),
  );
  t.same(differ, []);
});

t.test(
  'each overlay’s settings start the services; only a simulated bank is called by plain http',
  async (t) => {
    for (const overlay of overlays) {
      const { PIX_CERT_FILE, PIX_KEY_FILE, PIX_CA_FILE, ...env } = {
        ...settingsOf('base'),
        ...settingsOf(overlay),
      };
      const secrets = {
        ...{ DATABASE_URL: 'postgres://database', NATS_URL: 'nats://nats', ADMIN_KEY: 'admin-key' },
        // As the images have it, unless the overlay says otherwise.
        ...(env.NODE_ENV === undefined && {
          NODE_ENV: 'production',
          DATABASE_URL: 'postgres://database/payments?sslmode=verify-full',
          NATS_URL: 'tls://nats',
          SECRETS_KEY: 'a-key-of-thirty-two-characters-or-more',
        }),
        ...{ PIX_CLIENT_ID: 'id', PIX_CLIENT_SECRET: 'secret', PIX_KEY: 'key' },
      };
      const settings = readEnvironment(apiSettings, { ...env, ...secrets });
      t.doesNotThrow(() => readBanks(settings, 1_000), overlay);
      t.doesNotThrow(() => trustedProxies(settings.TRUST_PROXY), overlay);
      t.doesNotThrow(() => webhookPolicy(settings.WEBHOOK_ALLOW_PRIVATE, settings.WEBHOOK_DENY), overlay);
      t.equal(settings.PIX_ALLOW_HTTP, String(overlay === 'development'));
      t.equal((settings.ADMIN_URL ?? settings.PUBLIC_URL).startsWith('https:'), overlay === 'production');
    }
  },
);

t.test('times and numbers are consistent', async (t) => {
  const manifests = written();
  const of = (kind: string, name: string) =>
    manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  const settings = baseSettings();
  const graceMs = (name: string) => podOf(of('Deployment', name)).terminationGracePeriodSeconds * 1_000;
  // The time that services/*/src/main.ts gives a process to stop in.
  t.ok(
    graceMs('payments-api') >= settings.SHUTDOWN_DELAY_MS! + 30_000,
    'the API can finish what is in flight',
  );
  t.ok(
    graceMs('payments-dispatcher') >= settings.WEBHOOK_TIMEOUT_MS! + 15_000,
    'the dispatcher can finish what is in flight',
  );
  const replicas = ['payments-api', 'payments-dispatcher'].map(
    (name) =>
      of('HorizontalPodAutoscaler', name).spec.maxReplicas +
      of('Deployment', name).spec.strategy.rollingUpdate.maxSurge,
  );
  const connections = replicas.reduce((sum, count) => sum + count, 0) * settings.DATABASE_POOL_SIZE!;
  t.ok(connections <= 97, `${connections} connections: PostgreSQL takes 97 of users unless told otherwise`);
  for (const name of ['payments-api', 'payments-dispatcher']) {
    const [{ startupProbe, livenessProbe, readinessProbe }] = podOf(of('Deployment', name)).containers;
    t.match(
      [startupProbe, livenessProbe].map(({ httpGet }) => httpGet.path),
      ['/health/live', '/health/live'],
    );
    t.equal(readinessProbe.httpGet.path, '/health/ready');
  }
});

function baseSettings(): Record<string, number> {
  return Object.fromEntries(Object.entries(settingsOf('base')).map(([name, value]) => [name, Number(value)]));
}

function settingsOf(part: string): Record<string, string> {
  const file = part === 'base' ? 'base/settings.env' : `overlays/${part}/settings.env`;
  const lines = readFileSync(join(folder, file), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
}
