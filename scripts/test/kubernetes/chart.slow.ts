import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { chartTemplates } from '../../src/chart-templates.ts';
import { root } from '../../src/repository.ts';
import { isRestricted, refersToWhatThereIs } from './checks.ts';
import { type Manifest, podOf, read, rendered } from './manifests.ts';
import { labelsOf, policiesFor } from './policies.ts';
import { violations } from './schema.ts';

/** The Helm chart. Helm itself is in no package; kubectl has the same engine of templates, without Helm's own words. */
const chart = join(root, 'deploy/chart');
const kubectl = rendered('production') ? {} : { skip: 'there is no kubectl here, which renders templates' };
const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
const needed = { registry: 'ghcr.io/owner/repository', host: 'payments.example.com' };

/** @returns what the chart makes of these values, in the place of Helm's `template` */
function rendering(t: Test, given: object): Manifest[] {
  const { version, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
  const file = join(t.testdir({}), 'root.json');
  const root = {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'root' } },
    Values: { ...values, ...needed, ...given },
    Release: { Name: 'shop', Namespace: 'payments', Service: 'Helm', Revision: 7 },
    Chart: { Name: 'payments', Version: version, AppVersion: appVersion },
  };
  writeFileSync(file, JSON.stringify(root));
  const templates = readdirSync(join(chart, 'templates'));
  return templates.flatMap((name) => {
    const template = join(chart, 'templates', name);
    const format = ['--output', `go-template-file=${template}`];
    const { status, stdout, stderr } = spawnSync(
      'kubectl',
      ['label', '--local', '--filename', file, 'a=b', ...format],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
    t.notMatch(stdout, '<no value>', name);
    return read(stdout).filter(Boolean);
  });
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

t.test('ten values, each with its schema', async (t) => {
  const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
  const valid = new Ajv({ allErrors: true }).compile(schema);
  t.equal(Object.keys(values).length, 10);
  t.same([...Object.keys(values), 'global'].sort(), Object.keys(schema.properties).sort());
  t.ok(valid({ ...values, ...needed }), JSON.stringify(valid.errors));
  t.notOk(valid(values), 'registry and host are asked for');
  for (const wrong of [
    { host: 'https://payments.example.com' },
    { settings: { DATABASE_POOL_SIZE: 8 } },
    { digests: { api: 'latest' } },
    { egress: { postgres: ['10.0.0.1'] } },
    { registri: 'ghcr.io' },
  ])
    t.notOk(valid({ ...values, ...needed, ...wrong }), JSON.stringify(wrong));
  const settings = readFileSync(join(root, 'deploy/kubernetes/base/settings.env'), 'utf8');
  const base = Object.fromEntries(
    [...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  t.same(values.settings, base);
});

const all = {
  panelHost: 'payments-admin.example.com',
  gateway: { name: 'shared', namespace: 'gateways' },
  ingressClass: 'traefik',
  egress: { postgres: ['10.0.10.0/24'], nats: ['10.0.11.0/24'], banks: ['203.0.113.0/24', '203.0.114.0/24'] },
  files: { bank: 'payments-psp-tls', authorities: 'payments-authorities' },
};

for (const [name, given] of Object.entries({ 'the least that it needs': {}, 'every value': all }))
  t.test(`with ${name} it gives valid manifests, as confined as the others`, kubectl, async (t) => {
    const manifests = rendering(t, given);
    t.same(await violations(manifests), []);
    for (const manifest of manifests.filter(podOf)) isRestricted(t, manifest);
    refersToWhatThereIs(t, manifests);
    for (const { metadata } of manifests)
      t.match(metadata.labels, {
        'app.kubernetes.io/instance': 'shop',
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/part-of': 'public-payments',
      });
    const base = (rendered('production') ?? []).filter(
      ({ kind, metadata }) => !/^(ConfigMap|Namespace)$/.test(kind) && !/^payments-to-/.test(metadata.name),
    );
    const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name.replace(/-7$/, '')}`;
    const names = manifests.map(nameOf);
    for (const manifest of base) t.ok(names.includes(nameOf(manifest)), nameOf(manifest));
  });

t.test('each value is where it belongs', kubectl, async (t) => {
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
  const job = podOf(find(manifests, 'Job', 'payments-migration-7'));
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

t.test('what no value asks for is not there: no route, no panel, no way out', kubectl, async (t) => {
  const manifests = rendering(t, {});
  t.notOk(manifests.some(({ kind }) => /Route|Ingress/.test(kind)));
  t.notOk(find(manifests, 'Service', 'payments-panel'));
  const out = policiesFor(manifests, labelsOf('api')).filter(({ spec }) => spec.egress);
  t.same(out.map(({ metadata }) => metadata.name).sort(), ['payments-dns', 'payments-to-receivers']);
});
