import { spawn } from 'node:child_process';
import { EventEmitter, on } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@payments/local-servers/free-port';
import { natsProgram } from '@payments/local-servers/nats-program';
import { readTestBankFile } from '@payments/pix/banks-file';
import { generate } from 'selfsigned';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { prometheusRule } from '../../src/prometheus-rule.ts';
import { root } from '../../src/repository.ts';
import { findsNames, isRestricted, refersToWhatThereIs } from './checks.ts';
import { folder, type Manifest, podOf, rendered, renderedFolder } from './manifests.ts';
import { labelsOf, policiesFor } from './policies.ts';
import { violations } from './schema.ts';

/** Each component, and all of them together, beside the production overlay. */
const components = readdirSync(join(folder, 'components'));
const kubectl = rendered('production') ? {} : { skip: 'there is no kubectl here, which renders components' };

/**
 * @param chosen names of components, in their order
 * @param further what else stands in the overlay
 */
function productionWith(t: Test, chosen: readonly string[], further: object = {}): Manifest[] {
  return renderedWith(t, 'overlays/production', chosen, further);
}

/** @returns what an overlay renders to that stands elsewhere, upon a folder of deploy/kubernetes */
function renderedWith(t: Test, upon: string, chosen: readonly string[], further: object = {}): Manifest[] {
  const place = t.testdir({});
  const inside = (path: string) => relative(place, join(folder, path));
  const overlay = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [inside(upon)],
    components: chosen.map((name) => inside(`components/${name}`)),
    ...further,
  };
  writeFileSync(join(place, 'kustomization.yaml'), JSON.stringify(overlay));
  return renderedFolder(place) ?? [];
}

const find = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name);
const settingsOf = (manifests: Manifest[]) =>
  manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && /^payments-settings/.test(metadata.name))
    .data;

/** A component comes behind the resources that it changes. */
const before: Record<string, string[]> = {
  'panel-gateway': ['gateway'],
  'callback-gateway': ['gateway'],
  'single-sign-on': ['gateway', 'panel-gateway'],
};
const byGateway = ['gateway', 'panel-gateway', 'callback-gateway', 'single-sign-on'];
const byIngress = ['ingress', 'panel-ingress', 'callback-load-balancer', 'single-sign-on'];
/** The others bring these along. */
const listeners = ['panel', 'callback'];
const others = components.filter((name) => ![...byGateway, ...byIngress, ...listeners].includes(name));

const choices = [
  ...components.map((name) => [...(before[name] ?? []), name]),
  [...byGateway, ...others],
  [...byIngress, ...others],
];

for (const chosen of choices)
  t.test(
    `production with ${chosen.length > 5 ? `all of them, by ${chosen[0]}` : chosen.join(', ')} renders to valid manifests`,
    kubectl,
    async (t) => {
      const manifests = productionWith(t, chosen);
      t.same(await violations(manifests), []);
      for (const manifest of manifests.filter(podOf)) isRestricted(t, manifest);
      for (const { image } of manifests.flatMap((one) => podOf(one)?.containers ?? []))
        t.match(
          image,
          /^registry\.example\.com\/|^payments-|@sha256:[\da-f]{64}$/,
          'what is not ours is named by digest',
        );
      refersToWhatThereIs(t, manifests);
      findsNames(t, manifests);
      t.same(
        new Set(manifests.map(({ metadata }) => metadata.namespace ?? 'payments')),
        new Set(['payments']),
      );
    },
  );

t.test(
  'an overlay of one’s own takes the base and each component, without production’s',
  kubectl,
  async (t) => {
    for (const chosen of choices) {
      const manifests = renderedWith(t, 'base', chosen);
      refersToWhatThereIs(t, manifests);
      t.ok(find(manifests, 'Deployment', 'payments-api'), chosen.join(', '));
    }
  },
);

/** @returns the production overlay with these of the components that a comment in it lists */
function productionListing(t: Test, chosen: readonly string[]): Manifest[] {
  const place = t.testdir({});
  for (const part of ['kubernetes', 'monitoring'])
    cpSync(join(root, 'deploy', part), join(place, part), { recursive: true });
  const overlay = join(place, 'kubernetes/overlays/production');
  const file = join(overlay, 'kustomization.yaml');
  const text = readFileSync(file, 'utf8').replace('components: []', 'components:');
  const lines = text.split('\n').map((line) => {
    const [, entry, name] = /^#( {2}- \S+\/([\w-]+))$/.exec(line) ?? [];
    return entry && name && chosen.includes(name) ? entry : line;
  });
  writeFileSync(file, lines.join('\n'));
  return renderedFolder(overlay) ?? [];
}

for (const ways of [byGateway, byIngress])
  t.test(`the production overlay takes what its comment lists, by ${ways[0]}`, kubectl, async (t) => {
    const chosen = [...ways, ...others, 'monitoring'];
    const manifests = productionListing(t, chosen);
    t.same(await violations(manifests), []);
    for (const manifest of manifests.filter(podOf)) isRestricted(t, manifest);
    // The name of a generated ConfigMap ends with a hash.
    const nameOf = ({ kind, metadata: { name } }: Manifest) =>
      `${kind} ${kind === 'ConfigMap' ? name.replace(/-[a-z\d]{10}$/, '') : name}`;
    const beside = productionWith(t, [...ways, ...others, '../../monitoring']);
    t.same(manifests.map(nameOf).sort(), beside.map(nameOf).sort(), 'the same as beside the overlay');
    const trusted = manifests.filter((one) => JSON.stringify(podOf(one) ?? {}).includes('payments-psp-tls'));
    t.same(
      trusted.map(nameOf).sort(),
      ['Deployment payments-api', 'Deployment payments-dispatcher'],
      'nobody else has the certificate by which the bank knows us',
    );
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

const authorities: [component: string, settings: string[], secret: string][] = [
  ['cloudnative-pg', ['DATABASE_CA_FILE'], 'payments-postgres-ca'],
  ['nats-cluster', ['NATS_CA_FILE'], 'payments-nats-tls'],
  ['server-authorities', ['DATABASE_CA_FILE', 'NATS_CA_FILE'], 'payments-authorities'],
];
for (const [component, names, secret] of authorities)
  t.test(
    `${component}: who connects has the authority of the server, and not its key`,
    kubectl,
    async (t) => {
      const manifests = productionWith(t, [component]);
      const settings = settingsOf(manifests);
      const pods = manifests.filter(
        (one) => podOf(one) && /^payments-(api|dispatcher|migration)$/.test(one.metadata.name),
      );
      t.equal(pods.length, 3);
      for (const { initContainers = [], containers, volumes } of pods.map(podOf))
        for (const { envFrom, env, volumeMounts } of [...initContainers, ...containers]) {
          t.ok(
            envFrom.some(({ configMapRef }: Manifest) => configMapRef.name.startsWith('payments-settings')),
          );
          // Migrations do without NATS.
          const used = names.filter((name) =>
            env.some((one: Manifest) => one.name === name.replace('CA_FILE', 'URL')),
          );
          for (const name of used) {
            const mount = volumeMounts.find(
              ({ mountPath }: Manifest) => mountPath === dirname(settings[name]),
            );
            const volume = volumes.find((one: Manifest) => one.name === mount?.name);
            t.match(volume, { secret: { secretName: secret } }, name);
            if (component !== 'server-authorities')
              t.same(volume.secret.items, [{ key: 'ca.crt', path: basename(settings[name]) }]);
          }
        }
    },
  );

t.test('nats-cluster: three servers know each other, and the stream has three copies', kubectl, async (t) => {
  const manifests = productionWith(t, ['nats-cluster']);
  const { spec } = find(manifests, 'StatefulSet', 'payments-nats');
  const [{ env }] = podOf(find(manifests, 'StatefulSet', 'payments-nats')).containers;
  const certificate = find(manifests, 'Certificate', 'payments-nats').spec;
  t.match(certificate.dnsNames, ['payments-nats', `*.${spec.serviceName}`]);
  for (let index = 0; index < spec.replicas; index += 1) {
    const { value } = env.find(({ name }: Manifest) => name === `NATS_ROUTE_${index}`);
    t.match(value, `@payments-nats-${index}.${spec.serviceName}:6222`);
  }
  t.equal(settingsOf(manifests).NATS_REPLICAS, String(spec.replicas));
});

/** Makes an authority, and a certificate of it for this machine, as cert-manager puts them into a Secret. */
async function certificatesIn(folder: string): Promise<string> {
  const EC = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
  const authority = await generate([{ name: 'commonName', value: 'authority' }], {
    ...EC,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'server' }], {
    ...EC,
    ca: { cert: authority.cert, key: authority.private },
    extensions: [
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  mkdirSync(folder);
  writeFileSync(join(folder, 'ca.crt'), authority.cert);
  writeFileSync(join(folder, 'tls.crt'), server.cert);
  writeFileSync(join(folder, 'tls.key'), server.private);
  return folder;
}

t.test('nats-cluster: servers with a certificate and the password join, and others do not', async (t) => {
  const program = await natsProgram();
  const place = t.testdir({});
  const text = readFileSync(join(folder, 'components/nats-cluster/nats.conf'), 'utf8');
  const ours = await certificatesIn(join(place, 'ours'));
  const others = await certificatesIn(join(place, 'others'));
  const cluster = await Promise.all([0, 1, 2, 3].map(() => freePort()));
  const passwords = { NATS_PASSWORD: 'secret', NATS_ROUTES_PASSWORD: 'among' };
  const start = async (
    index: number,
    certificates: string,
    routesPassword = passwords.NATS_ROUTES_PASSWORD,
  ) => {
    const [port, monitor] = [await freePort(), await freePort()];
    const config = join(place, `nats-${index}.conf`);
    const local = text
      .replaceAll('/etc/nats-tls', certificates)
      .replace('port: 4222', `listen: 127.0.0.1:${port}`)
      .replace('http_port: 8222', `http: 127.0.0.1:${monitor}`)
      .replace('port: 6222', `listen: 127.0.0.1:${cluster[index]}`)
      .replace('/data', join(place, `data-${index}`));
    writeFileSync(config, local);
    const routes = cluster.map((port, place) => [
      `NATS_ROUTE_${place}`,
      `nats://routes:${routesPassword}@127.0.0.1:${port}`,
    ]);
    const env = { ...process.env, ...passwords, POD_NAME: `nats-${index}`, ...Object.fromEntries(routes) };
    const lines = new EventEmitter<{ line: [string] }>();
    const server = spawn(program, ['--config', config], {
      env: { ...env, NATS_ROUTES_PASSWORD: routesPassword },
    });
    t.teardown(() => server.kill('SIGKILL'));
    createInterface({ input: server.stderr }).on('line', (line) => lines.emit('line', line));
    return {
      routes: async () => (await (await fetch(`http://127.0.0.1:${monitor}/routez`)).json()) as Manifest,
      until: async (pattern: RegExp) => {
        for await (const [line] of on(lines, 'line')) if (pattern.test(line)) return;
      },
    };
  };
  const first = await start(0, ours);
  const opened = first.until(/Route connection created/);
  await start(1, ours);
  await opened;
  const peers = async () => [...new Set((await first.routes()).routes.map((one: Manifest) => one.remote_id))];
  // A route is listed once both servers have introduced themselves, which is after the line of its connection.
  let known = await peers();
  while (known.length === 0) {
    await delay(50);
    known = await peers();
  }
  t.equal(known.length, 1);

  const strange = first.until(/TLS route handshake error/);
  await start(2, others);
  await strange;
  const guessed = first.until(/authentication error/i);
  await start(3, ours, 'guessed');
  await guessed;
  t.same(await peers(), known);
});

t.test('monitoring: Grafana’s sidecar finds the dashboard', kubectl, async (t) => {
  const manifests = productionWith(t, ['../../monitoring']);
  const { metadata, data } = find(manifests, 'ConfigMap', 'payments-dashboard');
  t.match(metadata.labels, { grafana_dashboard: '1' });
  const written = readFileSync(join(root, 'deploy/monitoring/dashboard.json'), 'utf8');
  t.same(data, { 'payments.json': written });
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

/** The hosts and backends of what leads in from outside, whichever way it does. */
function waysIn(manifests: Manifest[]): string[] {
  const routes = manifests.filter(({ kind }) => kind === 'HTTPRoute' || kind === 'TLSRoute');
  const ingresses = manifests.filter(({ kind }) => kind === 'Ingress');
  return [
    ...routes.flatMap(({ spec: { hostnames, rules } }) =>
      rules.flatMap(({ backendRefs: [to] }: Manifest) => `${hostnames} ${to.name}`),
    ),
    ...ingresses.flatMap(({ spec }) =>
      spec.rules.flatMap(({ host, http }: Manifest) =>
        http.paths.map(({ backend }: Manifest) => `${host} ${backend.service.name}`),
      ),
    ),
  ].sort();
}

for (const chosen of [byGateway, byIngress])
  t.test(`${chosen[0]}: each way in leads to a listener that has nothing else`, kubectl, async (t) => {
    const manifests = productionWith(t, chosen);
    const settings = settingsOf(manifests);
    const hosts = [
      ...['payments.example.com payments-api', 'payments-admin.example.com payments-single-sign-on'],
      ...(chosen[0] === 'gateway'
        ? ['payments.example.com payments-api', 'pix.example.com payments-callback']
        : []),
    ];
    t.same(waysIn(manifests), hosts.sort());
    t.equal(settings.ADMIN_URL, 'https://payments-admin.example.com');
    const api = policiesFor(manifests, labelsOf('api'));
    const from = (who: RegExp) =>
      api
        .flatMap(({ spec }) => spec.ingress ?? [])
        .filter((rule) => who.test(JSON.stringify(rule.from)))
        .flatMap(({ ports }) => ports.map(({ port }: Manifest) => port));
    const callback = Number(settings.PIX_CALLBACK_PORT);
    t.same(from(/ingress":"true"/).sort(), [3000, callback], 'nobody comes to the panel past the sign-on');
    t.same(from(/single-sign-on/), [Number(settings.PANEL_PORT)]);
    t.same(from(/0\.0\.0\.0/), chosen[0] === 'gateway' ? [] : [callback]);
    const [{ ports }] = podOf(find(manifests, 'Deployment', 'payments-api')).containers;
    t.match(ports, [
      { name: 'public', containerPort: 3000 },
      { name: 'admin', containerPort: 3001 },
      { name: 'metrics', containerPort: 9464 },
      { name: 'panel', containerPort: Number(settings.PANEL_PORT) },
      { name: 'callback', containerPort: callback },
    ]);
    const [proxy] = podOf(find(manifests, 'Deployment', 'payments-single-sign-on')).containers;
    t.ok(proxy.args.includes(`--upstream=http://payments-panel:${settings.PANEL_PORT}`));
    for (const { kind, metadata } of manifests.filter((one) =>
      /Ingress|Gateway|Route|Service/.test(one.kind),
    ))
      t.same(
        Object.keys(metadata.annotations ?? {}),
        [],
        `${kind} ${metadata.name}: any controller takes it`,
      );
  });

t.test('gateway: each route has its listener, with the same host', kubectl, async (t) => {
  const manifests = productionWith(t, byGateway);
  const { listeners } = find(manifests, 'Gateway', 'payments').spec;
  for (const { kind, spec } of manifests.filter((one) => /^(HTTP|TLS)Route$/.test(one.kind))) {
    const [{ name, sectionName }] = spec.parentRefs;
    const listener = listeners.find((one: Manifest) => one.name === sectionName);
    t.equal(name, 'payments');
    t.same([listener.hostname], spec.hostnames);
    t.equal(listener.tls.mode, kind === 'TLSRoute' ? 'Passthrough' : 'Terminate', sectionName);
  }
  t.same(
    listeners.map(({ port }: Manifest) => port),
    [443, 443, 443],
    'none in clear',
  );
});

t.test(
  'test-bank: only the services reach the simulated bank, and it only their callback',
  kubectl,
  async (t) => {
    const manifests = productionWith(t, ['test-bank']);
    const without = JSON.stringify(rendered('production'));
    t.notMatch(without, /test-bank|payments-simulator|TEST_BANK/, 'nothing of it where nobody asks');
    const file = settingsOf(manifests).TEST_BANK_FILE;
    for (const name of ['payments-api', 'payments-dispatcher']) {
      const { containers, volumes } = podOf(find(manifests, 'Deployment', name));
      const mount = containers[0].volumeMounts.find(({ mountPath }: Manifest) => mountPath === dirname(file));
      const { sources } = volumes.find((volume: Manifest) => volume.name === mount.name).projected;
      t.match(sources, [
        { configMap: { name: 'payments-test-bank' } },
        { secret: { name: 'payments-test-bank' } },
      ]);
    }
    const config = find(manifests, 'ConfigMap', 'payments-test-bank');
    const place = t.testdir({ 'test-bank.json': config.data['test-bank.json'], 'client-secret': 's3cr3t' });
    const account = readTestBankFile(join(place, basename(file)), 1_000);
    const bank = find(manifests, 'Service', 'payments-test-bank');
    t.equal(account.options.url, `http://${bank.metadata.name}:${bank.spec.ports[0].port}`);
    t.equal(account.options.clientSecret, 's3cr3t');
    t.match(podOf(find(manifests, 'Deployment', 'payments-test-bank')).containers, [
      { env: [{ name: 'TEST_BANK', value: 'true' }, {}, {}, { name: 'PIX_CLIENT_SECRET' }] },
    ]);
    const [own, ...others] = policiesFor(manifests, labelsOf('test-bank')).filter(
      ({ metadata }) => !/default-deny|dns/.test(metadata.name),
    );
    t.same(others, []);
    const services = { key: 'app.kubernetes.io/component', operator: 'In', values: ['api', 'dispatcher'] };
    t.match(own.spec, {
      ingress: [{ from: [{ podSelector: { matchExpressions: [services] } }], ports: [{ port: 3003 }] }],
      egress: [
        {
          to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'api' } } }],
          ports: [{ port: 3000 }],
        },
      ],
    });
    t.equal(own.spec.ingress.length + own.spec.egress.length, 2);
  },
);

t.test(
  'test-bank: its callback is at a port of the API without mTLS, beside any bank’s listener',
  kubectl,
  async (t) => {
    const manifests = productionWith(t, ['test-bank', 'gateway', 'callback-gateway']);
    const { banks } = JSON.parse(find(manifests, 'ConfigMap', 'payments-test-bank').data['test-bank.json']);
    const { protocol, hostname, port } = new URL(banks[0].callbackUrl);
    t.equal(protocol, 'http:');
    const service = find(manifests, 'Service', hostname);
    t.match(service.spec.selector, { 'app.kubernetes.io/component': 'api' });
    const { targetPort } = service.spec.ports.find((one: Manifest) => one.port === Number(port));
    const { ports } = podOf(find(manifests, 'Deployment', 'payments-api')).containers[0];
    const { containerPort } = ports.find(({ name }: Manifest) => name === targetPort);
    t.not(containerPort, Number(settingsOf(manifests).PIX_CALLBACK_PORT));
    const letIn = policiesFor(manifests, labelsOf('api')).filter(({ spec }) =>
      JSON.stringify(spec.ingress ?? []).includes('test-bank'),
    );
    t.match(letIn, [{ spec: { ingress: [{ ports: [{ port: containerPort }] }] } }]);
  },
);

t.test('a Gateway that others run takes the place of ours, as the document says', kubectl, async (t) => {
  const page = readFileSync(join(root, 'deploy/README.md'), 'utf8');
  const [, text = ''] = /```yaml\n(patches:\n[^`]+?parentRefs[^`]+)```/.exec(page) ?? [];
  const manifests = productionWith(t, byGateway, parse(text));
  t.same(await violations(manifests), []);
  t.notOk(find(manifests, 'Gateway', 'payments'));
  const routes = manifests.filter(({ kind }) => /^(HTTP|TLS)Route$/.test(kind));
  t.equal(routes.length, 4);
  for (const { spec } of routes) t.match(spec.parentRefs, [{ name: 'shared', namespace: 'gateways' }]);
});

t.test('callback: the listener itself asks for the bank’s certificate', kubectl, async (t) => {
  const manifests = productionWith(t, ['gateway', 'callback-gateway']);
  const settings = settingsOf(manifests);
  const { containers, volumes, securityContext } = podOf(find(manifests, 'Deployment', 'payments-api'));
  const mount = containers[0].volumeMounts.find(({ name }: Manifest) => name === 'callback-tls');
  for (const file of ['CERT', 'KEY', 'CA'])
    t.equal(dirname(settings[`PIX_CALLBACK_${file}_FILE`]), mount.mountPath, file);
  const volume = volumes.find(({ name }: Manifest) => name === 'callback-tls');
  t.match(volume.secret, { secretName: 'payments-callback-tls' });
  t.equal(securityContext.fsGroup, 1000);
});
