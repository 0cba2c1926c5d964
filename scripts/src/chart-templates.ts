import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { kubernetesProgram } from './kubernetes-programs.ts';
import { root } from './repository.ts';

/**
 * The chart's templates are the manifests of deploy/kubernetes, as kustomize renders them, with the chart's values in the
 * places that an overlay would change.
 */

// biome-ignore lint/suspicious/noExplicitAny: manifests are whatever Kubernetes takes
type Manifest = any;

const source = join(root, 'deploy/kubernetes');

/**
 * @returns the text of each template by its file's name
 * @throws Error where kubectl, which renders the manifests, is missing or refuses them
 */
export function chartTemplates(): Map<string, string> {
  const byGateway = kustomized(['gateway', 'panel-gateway', 'test-bank']);
  const byIngress = kustomized(['ingress', 'panel-ingress']).filter(({ kind }) => kind === 'Ingress');
  const egress = read(readFileSync(join(source, 'overlays/production/network-policies.yaml'), 'utf8'));
  const taken = [
    ...byGateway.filter(
      ({ kind, metadata }) => isOfTestBank(metadata) || !/^(Gateway|ConfigMap)$/.test(kind),
    ),
    ...byIngress,
    ...egress,
  ];
  const files = new Map<string, string>();
  for (const manifest of taken) {
    const name = fileOf(manifest);
    const head = '# Made from deploy/kubernetes by `npm run chart`.\n';
    files.set(name, `${files.get(name) ?? head}${template(manifest)}`);
  }
  return files;
}

const isOfTestBank = ({ name }: { name: string }) => name.endsWith('test-bank');

function kustomized(components: readonly string[]): Manifest[] {
  const place = mkdtempSync(join(tmpdir(), 'payments-chart-'));
  const inside = (path: string) => relative(place, join(source, path));
  try {
    const overlay = {
      resources: [inside('base')],
      components: components.map((name) => inside(`components/${name}`)),
    };
    writeFileSync(join(place, 'kustomization.yaml'), JSON.stringify(overlay));
    const kubectl = kubernetesProgram('kubectl');
    if (kubectl === undefined) throw new Error('there is no kubectl here, which renders the manifests');
    const { status, stdout, stderr } = spawnSync(kubectl, ['kustomize', place], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`kubectl renders no manifests: ${stderr}`);
    return read(stdout);
  } finally {
    rmSync(place, { recursive: true });
  }
}

const read = (text: string): Manifest[] =>
  parseAllDocuments(text, { merge: true }).map((document) => document.toJS());

function fileOf({ kind, metadata }: Manifest): string {
  if (kind === 'NetworkPolicy') return 'network-policies.yaml';
  if (/Route$|^Ingress$/.test(kind)) return 'routes.yaml';
  return `${metadata.name.replace(/^payments-/, '').replace(/-admin$/, '')}.yaml`;
}

/** The templates' words in the place of plain ones. A word stands for an expression, a line for a block. */
const words: Record<string, string> = {
  WORDNAME: '{{ .Release.Name }}',
  WORDSERVICE: '{{ .Release.Service }}',
  WORDVERSION: '{{ .Chart.AppVersion }}',
  WORDREVISION: '{{ .Release.Revision }}',
  WORDHOST: '{{ printf "%q" .Values.host }}',
  WORDPANELHOST: '{{ printf "%q" .Values.panelHost }}',
  WORDCLASS: '{{ printf "%q" .Values.ingressClass }}',
  WORDGATEWAY: '{{ printf "%q" .Values.gateway.name }}',
  WORDGRACEapi: graceAfter('SHUTDOWN_DELAY_MS', 35),
  WORDGRACEdispatcher: graceAfter('WEBHOOK_TIMEOUT_MS', 30),
  // The bank keeps a charge for longer than the service keeps its payment.
  WORDBANKDAYS: '{{ add 90 (.Values.settings.TEST_DATA_DAYS | default "90" | trim | int) | quote }}',
  ...Object.fromEntries(
    ['api', 'dispatcher', 'simulator'].map((program) => [`WORDIMAGE${program}`, imageOf(program)]),
  ),
  ...Object.fromEntries(
    ['api', 'dispatcher'].flatMap((program) => [
      [`WORDMIN${program}`, `{{ .Values.replicas.${program}.min }}`],
      [`WORDMAX${program}`, `{{ .Values.replicas.${program}.max }}`],
    ]),
  ),
};

/** The seconds that a process may take to end: a setting's time and these, but never fewer than the base has. */
function graceAfter(setting: string, seconds: number): string {
  return `{{ max 45 (add ${seconds} (div (.Values.settings.${setting} | default "0" | trim | int) 1000)) }}`;
}

function imageOf(program: string): string {
  const digest = `.Values.digests.${program}`;
  return `{{ .Values.registry }}/${program}{{ if ${digest} }}@{{ ${digest} }}{{ else }}:{{ .Chart.AppVersion }}{{ end }}`;
}

/** Where a container has the files of a Secret. */
const folders: Record<string, string> = {
  authorities: '/etc/payments/authorities',
  bank: '/etc/payments/psp',
  'test-bank': '/etc/payments/test-bank',
};

/** A volume that a container may have, the value that asks for it, and the lines that say where it comes from. */
type Volume = { name: string; asked: string; from: readonly string[] };

const ofSecret = (name: string): Volume => {
  const asked = `.Values.files.${name}`;
  // Kubernetes adds the service's user to the group that may read the files.
  const from = ['secret:', `  secretName: {{ printf "%q" ${asked} }}`, '  defaultMode: 0440'];
  return { name, asked, from };
};

/** The entry of the test bank and its secret, as the component has them. */
const ofTestBank: Volume = {
  name: 'test-bank',
  asked: '.Values.testBank',
  from: [
    'projected:',
    '  defaultMode: 0440',
    '  sources:',
    '    - configMap: {name: payments-test-bank}',
    '    - secret:',
    '        name: payments-test-bank',
    '        items: [{key: client-secret, path: client-secret}]',
  ],
};

/** Blocks by their line's name. Each line gets the indentation of the place. */
const blocks: Record<string, string[]> = {
  BLOCKSETTINGS: [
    '- name: PUBLIC_URL',
    '  value: "https://{{ .Values.host }}"',
    '{{- if .Values.panelHost }}',
    '- name: ADMIN_URL',
    '  value: "https://{{ .Values.panelHost }}"',
    '- name: PANEL_PORT',
    '  value: "3004"',
    '{{- end }}',
    '{{- if .Values.files.authorities }}',
    '- name: DATABASE_CA_FILE',
    `  value: ${folders.authorities}/postgres.crt`,
    '- name: NATS_CA_FILE',
    `  value: ${folders.authorities}/nats.crt`,
    '{{- end }}',
    '{{- if .Values.testBank }}',
    '- name: TEST_BANK_FILE',
    `  value: ${folders['test-bank']}/test-bank.json`,
    '{{- end }}',
    '{{- range $name, $value := .Values.settings }}',
    '- name: {{ $name }}',
    '  value: {{ printf "%q" $value }}',
    '{{- end }}',
  ],
  BLOCKPANELPORT: ['{{- if .Values.panelHost }}', '- name: panel', '  containerPort: 3004', '{{- end }}'],
  ...filesBlocks('SERVICE', [ofSecret('authorities'), ofSecret('bank'), ofTestBank]),
  ...filesBlocks('MIGRATION', [ofSecret('authorities')]),
  BLOCKGATEWAYNAMESPACE: [
    '{{- if .Values.gateway.namespace }}',
    'namespace: {{ printf "%q" .Values.gateway.namespace }}',
    '{{- end }}',
  ],
  ...Object.fromEntries(
    ['postgres', 'nats', 'banks'].map((name) => [
      `BLOCKADDRESSES${name}`,
      [`{{- range .Values.egress.${name} }}`, '- ipBlock:', '    cidr: {{ printf "%q" . }}', '{{- end }}'],
    ]),
  ),
};

/** Volumes of a container and their mounts. */
function filesBlocks(whose: string, volumes: readonly Volume[]): Record<string, string[]> {
  const any = `or ${volumes.map(({ asked }) => asked).join(' ')}`;
  const each = (lines: (volume: Volume) => string[]) =>
    volumes.flatMap((volume) => [`{{- if ${volume.asked} }}`, ...lines(volume), '{{- end }}']);
  const volume = ({ name, from }: Volume) => [`  - name: ${name}`, ...from.map((line) => `    ${line}`)];
  const mount = ({ name }: Volume) => [
    `  - name: ${name}`,
    `    mountPath: ${folders[name]}`,
    '    readOnly: true',
  ];
  return {
    [`BLOCKVOLUMES${whose}`]: [`{{- if ${any} }}`, 'volumes:', ...each(volume), '{{- end }}'],
    [`BLOCKMOUNTS${whose}`]: [`{{- if ${any} }}`, 'volumeMounts:', ...each(mount), '{{- end }}'],
  };
}

function template(manifest: Manifest): string {
  label(manifest.metadata);
  const condition = place(manifest);
  let text = stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });
  // bounded: names and manifests are our own.
  for (const [name, lines] of Object.entries(blocks))
    text = text.replaceAll(new RegExp(`^( *)(?:- ${name}|${name}: .*)$`, 'gm'), (_, indent: string) =>
      lines.map((line) => (line.startsWith('{{-') ? line : `${indent}${line}`)).join('\n'),
    );
  // bounded: names and manifests are our own.
  for (const [name, expression] of Object.entries(words))
    text = text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), expression);
  const document = `---\n${text}`;
  return condition === undefined ? document : `{{- if ${condition} }}\n${document}{{- end }}\n`;
}

function label(metadata: Manifest): void {
  delete metadata.namespace;
  metadata.labels = {
    ...metadata.labels,
    'app.kubernetes.io/part-of': 'public-payments',
    'app.kubernetes.io/instance': 'WORDNAME',
    'app.kubernetes.io/version': 'WORDVERSION',
    'app.kubernetes.io/managed-by': 'WORDSERVICE',
  };
}

/**
 * Puts the names of words and blocks into a manifest.
 * @returns the condition under which the chart has it; undefined where it always does
 */
function place(manifest: Manifest): string | undefined {
  const { kind, metadata, spec } = manifest;
  const { name } = metadata;
  if (kind === 'Deployment' || kind === 'Job') placePod(name, kind, spec.template);
  // Kubernetes can't change a Job, so each upgrade makes another, and Helm removes the one before.
  if (kind === 'Job') metadata.name += '-WORDREVISION';
  if (kind === 'HorizontalPodAutoscaler') {
    const program = name.replace('payments-', '');
    Object.assign(spec, { minReplicas: `WORDMIN${program}`, maxReplicas: `WORDMAX${program}` });
  }
  if (kind === 'HTTPRoute') return placeRoute(manifest);
  if (kind === 'Ingress') return placeIngress(manifest);
  if (name.startsWith('payments-panel')) return '.Values.panelHost';
  if (isOfTestBank(metadata)) return '.Values.testBank';
  const to = /^payments-to-(postgres|nats|psp)$/.exec(name)?.[1]?.replace('psp', 'banks');
  if (to === undefined) return undefined;
  spec.egress[0].to = [`BLOCKADDRESSES${to}`];
  return `.Values.egress.${to}`;
}

function placePod(name: string, kind: string, { metadata, spec }: Manifest): void {
  label(metadata);
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  for (const container of containers) {
    const [program = ''] = container.image.split('/').at(-1).split(':');
    container.image = `WORDIMAGE${program.replace('payments-', '')}`;
  }
  // The test bank has no settings but its own, and its own volume.
  if (isOfTestBank({ name })) {
    for (const { env } of containers) env.push({ name: 'DATA_DAYS', value: 'WORDBANKDAYS' });
    return;
  }
  const whose = kind === 'Job' ? 'MIGRATION' : 'SERVICE';
  if (kind === 'Deployment') spec.terminationGracePeriodSeconds = `WORDGRACE${name.replace('payments-', '')}`;
  spec.securityContext.fsGroup = 1000;
  delete spec.volumes;
  spec[`BLOCKVOLUMES${whose}`] = '';
  for (const container of containers) {
    delete container.envFrom;
    container.env = [...container.env, 'BLOCKSETTINGS'];
    // A container that waits for the migration needs the authorities that the migration needs.
    const waits = (spec.initContainers ?? []).includes(container);
    delete container.volumeMounts;
    container[`BLOCKMOUNTS${waits ? 'MIGRATION' : whose}`] = '';
    const panel = container.ports?.findIndex((port: Manifest) => port.name === 'panel') ?? -1;
    if (panel >= 0) container.ports[panel] = 'BLOCKPANELPORT';
  }
}

function placeRoute({ metadata, spec }: Manifest): string {
  const isPanel = metadata.name === 'payments-panel';
  // The hosts decide which listeners take the route.
  spec.parentRefs = [{ name: 'WORDGATEWAY', BLOCKGATEWAYNAMESPACE: '' }];
  spec.hostnames = [isPanel ? 'WORDPANELHOST' : 'WORDHOST'];
  return isPanel ? 'and .Values.gateway.name .Values.panelHost' : '.Values.gateway.name';
}

function placeIngress({ metadata, spec }: Manifest): string {
  const isPanel = metadata.name === 'payments-panel';
  const host = isPanel ? 'WORDPANELHOST' : 'WORDHOST';
  spec.ingressClassName = 'WORDCLASS';
  spec.tls[0].hosts = [host];
  spec.rules[0].host = host;
  return isPanel ? 'and .Values.ingressClass .Values.panelHost' : '.Values.ingressClass';
}
