import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { natsProgram } from '@payments/backing-services/nats-program';
import t, { type Test } from 'tap';
import { prometheusRule } from '../../src/prometheus-rule.ts';
import { root } from '../../src/repository.ts';
import { isRestricted, refersToWhatThereIs } from './checks.ts';
import { folder, type Manifest, podOf, rendered, renderedFolder } from './manifests.ts';
import { policiesFor } from './policies.ts';
import { violations } from './schema.ts';

/** Each component, and all of them together, beside the production overlay. */
const components = readdirSync(join(folder, 'components'));
const kubectl = rendered('production') ? {} : { skip: 'there is no kubectl here, which renders components' };

/** @param chosen names of components, in their order */
function productionWith(t: Test, chosen: readonly string[]): Manifest[] {
  const place = t.testdir({});
  const inside = (path: string) => relative(place, join(folder, path));
  const overlay = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [inside('overlays/production')],
    components: chosen.map((name) => inside(`components/${name}`)),
  };
  writeFileSync(join(place, 'kustomization.yaml'), JSON.stringify(overlay));
  return renderedFolder(place) ?? [];
}

const find = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name);
const settingsOf = (manifests: Manifest[]) =>
  manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && /^payments-settings/.test(metadata.name))
    .data;

// single-sign-on changes what panel-ingress adds.
const choices = [
  ...components.map((name) => (name === 'single-sign-on' ? ['panel-ingress', name] : [name])),
  components,
];

for (const chosen of choices)
  t.test(`production with ${chosen.join(', ')} renders to valid manifests`, kubectl, async (t) => {
    const manifests = productionWith(t, chosen);
    t.same(await violations(manifests), []);
    for (const manifest of manifests.filter(podOf)) isRestricted(t, manifest);
    refersToWhatThereIs(t, manifests);
    t.same(new Set(manifests.map(({ metadata }) => metadata.namespace ?? 'payments')), new Set(['payments']));
  });

t.test(
  'cloudnative-pg: the migration is the owner, and the services have a role of their own',
  kubectl,
  async (t) => {
    const manifests = productionWith(t, ['cloudnative-pg']);
    const cluster = manifests.find(({ kind }) => kind === 'Cluster');
    const pods = manifests.flatMap((manifest) => podOf(manifest) ?? []);
    const urls = pods
      .flatMap(({ initContainers = [], containers }) => [...initContainers, ...containers])
      .flatMap(({ env }) => env.filter(({ name }: Manifest) => name === 'DATABASE_URL'));
    t.equal(urls.length, 5);
    const [role] = cluster.spec.managed.roles;
    const secrets = urls.map(({ valueFrom }) => valueFrom.secretKeyRef.name).sort();
    t.same(secrets, [`${cluster.metadata.name}-app`, ...Array(4).fill(role.passwordSecret.name)]);
    const migration = podOf(find(manifests, 'Job', 'payments-migration')).containers[0].env;
    t.match(migration, [
      { valueFrom: { secretKeyRef: { name: `${cluster.metadata.name}-app`, key: 'uri' } } },
      {},
    ]);
    t.match(migration[1], { name: 'SERVICES_ROLE', value: role.name });
    const { database, owner } = cluster.spec.bootstrap.initdb;
    t.same([database, owner], ['payments', 'payments']);
  },
);

t.test('nats-cluster: three servers know each other, and the stream has three copies', kubectl, async (t) => {
  const manifests = productionWith(t, ['nats-cluster']);
  const { spec } = find(manifests, 'StatefulSet', 'payments-nats');
  const text = readFileSync(join(folder, 'components/nats-cluster/nats.conf'), 'utf8');
  for (let index = 0; index < spec.replicas; index += 1)
    t.match(text, `nats://payments-nats-${index}.${spec.serviceName}:6222`);
  t.equal(settingsOf(manifests).NATS_REPLICAS, String(spec.replicas));
  const program = await natsProgram();
  const checked = spawnSync(program, ['--config', join(folder, 'components/nats-cluster/nats.conf'), '-t'], {
    env: { ...process.env, POD_NAME: 'payments-nats-0', NATS_PASSWORD: 'secret' },
    encoding: 'utf8',
  });
  t.equal(checked.status, 0, checked.stderr);
});

t.test('keda: one autoscaler of the dispatchers, and the API keeps its own', kubectl, async (t) => {
  const manifests = productionWith(t, ['keda']);
  const autoscalers = manifests.filter(({ kind }) => /Autoscaler|ScaledObject/.test(kind));
  t.same(autoscalers.map(({ spec }) => spec.scaleTargetRef.name).sort(), [
    'payments-api',
    'payments-dispatcher',
  ]);
  const base = find(rendered('production') ?? [], 'HorizontalPodAutoscaler', 'payments-dispatcher');
  const { spec } = find(manifests, 'ScaledObject', 'payments-dispatcher');
  t.same(
    [spec.minReplicaCount, spec.maxReplicaCount],
    [base.spec.minReplicas, base.spec.maxReplicas],
    'the connections to PostgreSQL are counted for as many',
  );
});

t.test(
  'prometheus-operator: the jobs are those of the rules, and the rules are current',
  kubectl,
  async (t) => {
    const manifests = productionWith(t, ['prometheus-operator']);
    for (const { metadata, spec } of manifests.filter(({ kind }) => kind === 'PodMonitor')) {
      const { template } = find(manifests, 'Deployment', metadata.name).spec;
      t.match(template.metadata.labels, spec.selector.matchLabels);
      t.equal(template.metadata.labels[spec.jobLabel], metadata.name);
      const [{ ports }] = template.spec.containers;
      for (const { port } of spec.podMetricsEndpoints)
        t.ok(ports.some(({ name }: Manifest) => name === port));
    }
    const file = 'deploy/kubernetes/components/prometheus-operator/prometheus-rule.yaml';
    t.equal(readFileSync(join(root, file), 'utf8'), prometheusRule(), 'npm run alerts writes it');
  },
);

t.test('panel and callback: each ingress leads to a listener that has nothing else', kubectl, async (t) => {
  const manifests = productionWith(t, ['panel-ingress', 'callback-ingress', 'single-sign-on']);
  const settings = settingsOf(manifests);
  const api = policiesFor(manifests, { 'app.kubernetes.io/component': 'api' });
  const admits = api
    .flatMap(({ spec }) => spec.ingress ?? [])
    .filter(({ from }) => JSON.stringify(from).includes('public-payments/ingress":"true"'))
    .flatMap(({ ports }) => ports.map(({ port }: Manifest) => port));
  t.same(admits.sort(), [3000, Number(settings.PANEL_PORT), Number(settings.PIX_CALLBACK_PORT)]);
  const [{ ports }] = podOf(find(manifests, 'Deployment', 'payments-api')).containers;
  t.match(ports, [
    { name: 'public', containerPort: 3000 },
    { name: 'admin', containerPort: 3001 },
    { name: 'panel', containerPort: Number(settings.PANEL_PORT) },
    { name: 'callback', containerPort: Number(settings.PIX_CALLBACK_PORT) },
  ]);
  const panel = find(manifests, 'Ingress', 'payments-panel');
  t.equal(`https://${panel.spec.rules[0].host}`, settings.ADMIN_URL);
  t.match(panel.metadata.annotations, { 'nginx.ingress.kubernetes.io/auth-url': /^https:/ });
  const callback = find(manifests, 'Ingress', 'payments-callback');
  t.match(callback.metadata.annotations, { 'nginx.ingress.kubernetes.io/auth-tls-verify-client': 'on' });
  t.same(
    callback.spec.rules[0].http.paths.map(({ path }: Manifest) => path),
    ['/pix-callback/'],
  );
});
