import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiSettings } from '@payments/api/settings';
import { dispatcherSettings } from '@payments/dispatcher/settings';
import { Ajv } from 'ajv';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { chartTemplates } from '../../src/chart-templates.ts';
import { kubernetesProgram } from '../../src/kubernetes-programs.ts';
import { root } from '../../src/repository.ts';
import { findsNames, isRestricted, refersToWhatThereIs } from './checks.ts';
import { type Manifest, podOf, read, rendered } from './manifests.ts';
import { labelsOf, policiesFor } from './policies.ts';
import { violations } from './schema.ts';

/** The Helm chart, judged and rendered by Helm. */
const chart = join(root, 'deploy/chart');
const helm = kubernetesProgram('helm');
const byHelm = helm ? {} : { skip: 'there is no Helm here, which renders templates' };
const kubectl = rendered('production') ? {} : { skip: 'there is no kubectl here, which renders manifests' };
const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
const needed = { registry: 'ghcr.io/owner/repository', host: 'payments.example.com' };

const all = {
  panelHost: 'payments-admin.example.com',
  gateway: { name: 'shared', namespace: 'gateways' },
  ingressClass: 'traefik',
  egress: { postgres: ['10.0.10.0/24'], nats: ['10.0.11.0/24'], banks: ['203.0.113.0/24', '203.0.114.0/24'] },
  files: { bank: 'payments-psp-tls', authorities: 'payments-authorities' },
  testBank: true,
};

/** Runs Helm on the chart with these values. Its folders are the test's: it sees no setting of this machine's. */
function runHelm(t: Test, given: object, ...args: string[]) {
  const place = t.testdir({ 'values.json': JSON.stringify(given) });
  const env = { ...process.env, HELM_CONFIG_HOME: place, HELM_CACHE_HOME: place, HELM_DATA_HOME: place };
  const options = ['--values', join(place, 'values.json')];
  return spawnSync(helm!, [...args, chart, ...options], { encoding: 'utf8', env });
}

/** @returns what the chart makes of these values */
function rendering(t: Test, given: object): Manifest[] {
  const namespace = ['--namespace', 'payments'];
  const { status, stdout, stderr } = runHelm(t, { ...needed, ...given }, 'template', 'shop', ...namespace);
  if (status !== 0) throw new Error(stderr);
  t.notMatch(stdout, '<no value>');
  return read(stdout).filter(Boolean);
}

const find = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name);
const envOf = ({ env }: Manifest) =>
  Object.fromEntries(env.map(({ name, value }: Manifest) => [name, value]));

t.test('the templates are made of the manifests; else run npm run chart', kubectl, async (t) => {
  const made = chartTemplates();
  t.same(readdirSync(join(chart, 'templates')).sort(), [...made.keys()].sort());
  for (const [name, text] of made) t.equal(readFileSync(join(chart, 'templates', name), 'utf8'), text, name);
});

t.test('eleven values, each with its schema', async (t) => {
  const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
  const valid = new Ajv({ allErrors: true }).compile(schema);
  t.equal(Object.keys(values).length, 11);
  t.same([...Object.keys(values), 'global'].sort(), Object.keys(schema.properties).sort());
  t.ok(valid({ ...values, ...needed }), JSON.stringify(valid.errors));
  t.notOk(valid(values), 'registry and host are asked for');
  for (const wrong of [
    { host: 'https://payments.example.com' },
    { settings: { DATABASE_POOL_SIZE: 8 } },
    { digests: { api: 'latest' } },
    { egress: { postgres: ['10.0.0.1'] } },
    { registri: 'ghcr.io' },
    { testBank: 'yes' },
  ])
    t.notOk(valid({ ...values, ...needed, ...wrong }), JSON.stringify(wrong));
  const settings = readFileSync(join(root, 'deploy/kubernetes/base/settings.env'), 'utf8');
  const base = Object.fromEntries(
    [...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  t.same(values.settings, base);
});

t.test('Helm takes the chart: it lints, and a wrong value is refused by its name', byHelm, async (t) => {
  for (const given of [needed, { ...needed, ...all }]) {
    const { status, stdout, stderr } = runHelm(t, given, 'lint', '--strict');
    t.equal(status, 0, stdout + stderr);
    t.notMatch(stdout, /\[(WARNING|ERROR)\]/);
  }
  for (const [name, wrong] of Object.entries({
    host: { ...needed, host: 'https://payments.example.com' },
    registri: { ...needed, registri: 'ghcr.io' },
  }))
    t.match(runHelm(t, wrong, 'template', 'shop'), { status: 1, stderr: name });
});

t.test('on Linux (x64) kubectl and Helm are the pinned ones, so nothing here is skipped', async (t) => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return;
  for (const name of ['kubectl', 'helm'] as const)
    t.match(kubernetesProgram(name), 'node_modules/.cache/kubernetes-tools', name);
});

for (const [name, given] of Object.entries({ 'the least that it needs': {}, 'every value': all }))
  t.test(`with ${name} it gives valid manifests, as confined as the others`, byHelm, async (t) => {
    const manifests = rendering(t, given);
    t.same(await violations(manifests), []);
    for (const manifest of manifests.filter(podOf)) isRestricted(t, manifest);
    refersToWhatThereIs(t, manifests);
    findsNames(t, manifests);
    for (const { metadata } of manifests)
      t.match(metadata.labels, {
        'app.kubernetes.io/instance': 'shop',
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/part-of': 'public-payments',
      });
    const base = (rendered('production') ?? []).filter(
      ({ kind, metadata }) => !/^(ConfigMap|Namespace)$/.test(kind) && !/^payments-to-/.test(metadata.name),
    );
    const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name.replace(/-1$/, '')}`;
    const names = manifests.map(nameOf);
    for (const manifest of base) t.ok(names.includes(nameOf(manifest)), nameOf(manifest));
  });

t.test('each value is where it belongs', byHelm, async (t) => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const manifests = rendering(t, {
    ...all,
    digests: { api: digest, dispatcher: '' },
    replicas: { api: { min: 3, max: 9 }, dispatcher: { min: 2, max: 4 } },
    settings: { ...values.settings, LOG_LEVEL: 'a "quoted" \\ word' },
  });
  const pods = ['api', 'dispatcher'].map((name) => podOf(find(manifests, 'Deployment', `payments-${name}`)));
  t.equal(pods[0].containers[0].image, `ghcr.io/owner/repository/api@${digest}`);
  t.match(pods[1].containers[0].image, /^ghcr\.io\/owner\/repository\/dispatcher:\d+\.\d+\.\d+$/);
  t.match(envOf(pods[0].containers[0]), {
    PUBLIC_URL: 'https://payments.example.com',
    ADMIN_URL: 'https://payments-admin.example.com',
    PANEL_PORT: '3004',
    DATABASE_CA_FILE: '/etc/payments/authorities/postgres.crt',
    LOG_LEVEL: 'a "quoted" \\ word',
    METRICS_PORT: '9464',
  });
  t.match(find(manifests, 'HorizontalPodAutoscaler', 'payments-api').spec, {
    minReplicas: 3,
    maxReplicas: 9,
  });
  const job = podOf(find(manifests, 'Job', 'payments-migration-1'));
  t.same(
    job.volumes.map(({ name }: Manifest) => name),
    ['authorities'],
    'the migration has nothing of the bank',
  );
  for (const kind of ['HTTPRoute', 'Ingress'])
    t.equal(manifests.filter((one) => one.kind === kind).length, kind === 'Ingress' ? 2 : 3);
  t.match(find(manifests, 'HTTPRoute', 'payments-panel').spec, {
    parentRefs: [{ name: 'shared', namespace: 'gateways' }],
    hostnames: ['payments-admin.example.com'],
  });
  t.match(find(manifests, 'NetworkPolicy', 'payments-to-psp').spec.egress[0].to, [
    { ipBlock: { cidr: '203.0.113.0/24' } },
    { ipBlock: { cidr: '203.0.114.0/24' } },
  ]);
});

t.test('a pod has the time to end that its settings ask for', byHelm, async (t) => {
  const graces = (settings: object) => {
    const manifests = rendering(t, { settings });
    return ['api', 'dispatcher'].map(
      (name) => podOf(find(manifests, 'Deployment', `payments-${name}`)).terminationGracePeriodSeconds,
    );
  };
  const { SHUTDOWN_DELAY_MS: delay, WEBHOOK_TIMEOUT_MS: timeout } = {
    ...apiSettings.properties,
    ...dispatcherSettings.properties,
  };
  const most = { SHUTDOWN_DELAY_MS: `${delay.maximum}`, WEBHOOK_TIMEOUT_MS: ` ${timeout.maximum}\n` };
  t.same(graces(most), [95, 330]);
  t.same(graces({ SHUTDOWN_DELAY_MS: '0', WEBHOOK_TIMEOUT_MS: '100' }), [45, 45]);
  t.same(graces({ SHUTDOWN_DELAY_MS: null, WEBHOOK_TIMEOUT_MS: null }), [45, 45], 'the defaults are short');
  t.ok(delay.default <= 15_000 && timeout.default <= 30_000);
});

t.test('what no value asks for is not there: no route, no panel, no way out', byHelm, async (t) => {
  const manifests = rendering(t, {});
  t.notOk(manifests.some(({ kind }) => /Route|Ingress/.test(kind)));
  t.notOk(find(manifests, 'Service', 'payments-panel'));
  const out = policiesFor(manifests, labelsOf('api')).filter(({ spec }) => spec.egress);
  t.same(out.map(({ metadata }) => metadata.name).sort(), ['payments-dns', 'payments-to-receivers']);
});

t.test('the test bank is that of the component, where a value asks for it', byHelm, async (t) => {
  t.notMatch(JSON.stringify(rendering(t, {})), /test-bank|TEST_BANK|simulator/, 'nothing of it otherwise');
  const digest = `sha256:${'b'.repeat(64)}`;
  const manifests = rendering(t, { testBank: true, digests: { ...values.digests, simulator: digest } });
  const bank = podOf(find(manifests, 'Deployment', 'payments-test-bank'));
  t.equal(bank.containers[0].image, `ghcr.io/owner/repository/simulator@${digest}`);
  t.equal(envOf(bank.containers[0]).PUBLIC_URL, undefined, 'it has no settings of the services');
  t.equal(envOf(bank.containers[0]).DATA_DAYS, '180');
  const longer = rendering(t, { testBank: true, settings: { TEST_DATA_DAYS: '365' } });
  const kept = podOf(find(longer, 'Deployment', 'payments-test-bank'));
  t.equal(
    envOf(kept.containers[0]).DATA_DAYS,
    '455',
    'it keeps a charge for longer than the service its payment',
  );
  t.match(bank.volumes, [{ persistentVolumeClaim: { claimName: 'payments-test-bank' } }]);
  t.ok(find(manifests, 'PersistentVolumeClaim', 'payments-test-bank'));
  const { data } = find(manifests, 'ConfigMap', 'payments-test-bank');
  const [file = '', text = ''] = Object.entries<string>(data)[0] ?? [];
  const service = find(manifests, 'Service', 'payments-test-bank');
  t.equal(JSON.parse(text).banks[0].url, `http://${service.metadata.name}:${service.spec.ports[0].port}`);
  for (const name of ['payments-api', 'payments-dispatcher']) {
    const { containers, volumes } = podOf(find(manifests, 'Deployment', name));
    const mount = containers[0].volumeMounts.find((one: Manifest) => one.name === 'test-bank');
    t.equal(envOf(containers[0]).TEST_BANK_FILE, `${mount.mountPath}/${file}`);
    t.match(volumes.find((one: Manifest) => one.name === 'test-bank').projected.sources, [
      { configMap: { name: 'payments-test-bank' } },
      { secret: { name: 'payments-test-bank' } },
    ]);
  }
  const own = policiesFor(manifests, labelsOf('test-bank')).map(({ metadata }) => metadata.name);
  t.same(own.sort(), ['payments-default-deny', 'payments-dns', 'payments-test-bank']);
});
