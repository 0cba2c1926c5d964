import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { receiverPort, receiverProgram } from './receiver-program.ts';
import { root } from './workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: manifests are whatever Kubernetes takes
type Manifest = any;

/** Start order: what comes before a service waits for the migration. */
const order = ['postgres', 'nats', 'simulator', 'migration', 'api', 'dispatcher', 'receiver'];

/**
 * Renders the development overlay for an engine without a cluster: ConfigMaps and volumes unchanged, and the pod of
 * each Deployment and Job under its Service's name. Secret values are written into the pods, as engines store secrets
 * differently. Probes are left out: the engine would run them as commands in containers without shell and curl. So is
 * what needs a cluster.
 * @param hostPorts this machine's port for each container port
 * @param run makes the volumes' names unique to this run
 */
export function podsOfDevelopment(hostPorts: Map<number, number>, run: string): Manifest[] {
  const overlay = join(root, 'deploy/kubernetes/overlays/development');
  const rendered = execFileSync('kubectl', ['kustomize', overlay], { encoding: 'utf8' });
  const manifests = parseAllDocuments(rendered).map((document) => document.toJS() as Manifest);
  const data = manifests.filter(({ kind }) => ['ConfigMap', 'PersistentVolumeClaim'].includes(kind));
  const workloads = manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));
  const pods = [...workloads.map(podOf), receiver(workloads)];
  const rank = (pod: Manifest) => order.findIndex((part) => pod.metadata.name.endsWith(part));
  for (const { spec } of pods) {
    dropProbes(spec);
    // With Always, a finished init container would restart for ever.
    spec.restartPolicy = 'OnFailure';
    publish(spec, hostPorts);
    writeSecrets(spec, manifests);
    for (const { persistentVolumeClaim: claim } of spec.volumes ?? []) claim.claimName += `-${run}`;
  }
  for (const { kind, metadata } of data) if (kind === 'PersistentVolumeClaim') metadata.name += `-${run}`;
  return [...data, ...pods.sort((one, other) => rank(one) - rank(other))].map(withoutNamespace);
}

function podOf({ metadata, spec }: Manifest): Manifest {
  const { labels } = spec.template.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: metadata.name, labels },
    spec: spec.template.spec,
  };
}

/** A store's receiver, as confined as the services. */
function receiver(workloads: Manifest[]): Manifest {
  const api = workloads.find(({ metadata }) => metadata.name === 'payments-api').spec.template.spec;
  const [{ image, securityContext }] = api.containers;
  const ports = [{ name: 'http', containerPort: receiverPort }];
  const container = { name: 'receiver', image, args: ['-e', receiverProgram], ports, securityContext };
  const spec = { securityContext: api.securityContext, containers: [container] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'payments-receiver', labels: {} }, spec };
}

function dropProbes({ containers }: Manifest): void {
  for (const container of containers)
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) delete container[probe];
}

/** Publishes only the requested ports: the engine would publish every port that a pod names. */
function publish({ containers }: Manifest, hostPorts: Map<number, number>): void {
  for (const container of containers) {
    const asked = (container.ports ?? []).filter(({ containerPort }: Manifest) =>
      hostPorts.has(containerPort),
    );
    container.ports = asked.map((port: Manifest) => ({
      ...port,
      hostPort: hostPorts.get(port.containerPort),
      hostIP: '127.0.0.1',
    }));
  }
}

function writeSecrets({ containers, initContainers = [] }: Manifest, manifests: Manifest[]): void {
  const secretOf = ({ name, key }: Manifest): string | undefined =>
    manifests.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name)?.data[key];
  for (const container of [...initContainers, ...containers]) {
    const isThere = ({ valueFrom }: Manifest) =>
      !valueFrom?.secretKeyRef?.optional || secretOf(valueFrom.secretKeyRef) !== undefined;
    container.env = (container.env ?? []).filter(isThere);
    for (const entry of container.env) {
      const reference = entry.valueFrom?.secretKeyRef;
      if (!reference) continue;
      entry.value = Buffer.from(secretOf(reference) ?? '', 'base64').toString();
      delete entry.valueFrom;
    }
  }
}

function withoutNamespace(manifest: Manifest): Manifest {
  const { namespace: _, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}
