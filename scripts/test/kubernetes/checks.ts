import type { Test } from 'tap';
import { type Manifest, podOf } from './manifests.ts';
import { policiesFor } from './policies.ts';

/** Pod Security Standards, `restricted`, with a read-only root file system and no secret values. */
export function isRestricted(t: Test, manifest: Manifest): void {
  const pod = podOf(manifest);
  const name = `${manifest.kind} ${manifest.metadata.name}`;
  t.match(
    pod,
    {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    },
    name,
  );
  for (const key of ['hostNetwork', 'hostPID', 'hostIPC']) t.notOk(pod[key]);
  for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
    t.match(
      container,
      {
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: { cpu: String, memory: String }, limits: { memory: String } },
      },
      `${name}: ${container.name}`,
    );
    t.match(container.image, /:[^:]+$/, 'its version is named');
    // Two addresses are anything but secret: the chart has them here, the overlays in their ConfigMap.
    for (const { name, value } of container.env ?? [])
      if (/^(?!(PUBLIC|ADMIN)_URL$).*(URL|KEY|SECRET|CLIENT_ID)/.test(name))
        t.equal(value, undefined, `${name} is a reference`);
  }
}

/** Services select pods with the ports that they name; settings, accounts and targets exist. */
export function refersToWhatThereIs(t: Test, manifests: Manifest[]): void {
  const names = (kind: string) =>
    manifests.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
  const templates = manifests.filter(podOf).map(({ spec }) => spec.template);
  for (const { metadata, spec } of manifests.filter(({ kind }) => kind === 'Service')) {
    const chosen = templates.filter(({ metadata: { labels } }) =>
      Object.entries(spec.selector).every(([key, value]) => labels[key] === value),
    );
    t.equal(chosen.length, 1, `Service ${metadata.name} is one workload's`);
    const ports = chosen[0].spec.containers.flatMap((container: Manifest) => container.ports ?? []);
    for (const { targetPort } of spec.ports) t.ok(ports.some((port: Manifest) => port.name === targetPort));
  }
  for (const { spec } of templates) {
    if (spec.serviceAccountName) t.ok(names('ServiceAccount').includes(spec.serviceAccountName));
    for (const { envFrom = [] } of spec.containers)
      for (const { configMapRef } of envFrom) t.ok(names('ConfigMap').includes(configMapRef.name));
  }
  for (const { spec } of manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler'))
    t.ok(names('Deployment').includes(spec.scaleTargetRef.name));
}

/** Every pod whose way out is confined may ask for names, also one that an operator makes. */
export function findsNames(t: Test, manifests: Manifest[]): void {
  const pods: Record<string, string>[] = manifests
    .filter(podOf)
    .map(({ spec }) => spec.template.metadata.labels);
  const unseen = manifests
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec.policyTypes.includes('Egress'))
    .filter((policy) => !pods.some((labels) => policiesFor([policy], labels).length > 0))
    .map(({ spec }) => spec.podSelector.matchLabels);
  for (const labels of [...pods, ...unseen]) {
    const policies = policiesFor(manifests, labels);
    if (!policies.some(({ spec }) => spec.policyTypes.includes('Egress'))) continue;
    t.ok(
      policies.some(({ spec }) => spec.egress?.some(leadsToDns)),
      `DNS for ${JSON.stringify(labels)}`,
    );
  }
}

function leadsToDns({ to, ports }: Manifest): boolean {
  const asks = (protocol: string) =>
    ports?.some((one: Manifest) => one.port === 53 && one.protocol === protocol);
  return asks('UDP') && asks('TCP') && to?.some(isDns);
}

const isDns = ({ namespaceSelector, podSelector }: Manifest) =>
  namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'kube-system' &&
  podSelector?.matchLabels['k8s-app'] === 'kube-dns';
