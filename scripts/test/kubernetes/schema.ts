import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../src/repository.ts';
import type { Manifest } from './manifests.ts';

// No package has the schemas of these operators' resources.
const unchecked = ['postgresql.cnpg.io/v1', 'cilium.io/v2'];

/** The packages with the schemas of operators' resources, by API group. */
const operators: Record<string, string> = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/**
 * Checks manifests strictly with Kubernetes' own schemas: the models check values and required fields, the compiler
 * finds unknown fields.
 * @returns what is wrong; empty if valid
 */
export async function violations(all: Manifest[]): Promise<string[]> {
  const manifests = all.filter(({ apiVersion }) => !unchecked.includes(apiVersion));
  const found = await Promise.all(manifests.map(wrongValues));
  return [...found.flat(), ...unknownFields(manifests)];
}

async function wrongValues(manifest: Manifest): Promise<string[]> {
  const { [manifest.kind]: Model } = await import(moduleOf(manifest));
  try {
    new Model(unfolded(manifest)).validate();
    return [];
  } catch (error) {
    return [`${nameOf(manifest)}: ${(error as Error).message}`];
  }
}

/** Unfolds a Secret's long values, which Kubernetes accepts and the models do not. */
function unfolded(manifest: Manifest): Manifest {
  if (manifest.kind !== 'Secret') return manifest;
  const data = Object.entries<string>(manifest.data).map(([key, value]) => [key, value.replaceAll('\n', '')]);
  return { ...manifest, data: Object.fromEntries(data) };
}

/** A literal may not have properties that its type lacks. */
function unknownFields(manifests: Manifest[]): string[] {
  const cache = join(import.meta.dirname, '../../node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'kubernetes-'));
  try {
    const file = join(folder, 'manifests.mts');
    writeFileSync(file, manifests.map(asLiteral).join('\n'));
    const options = [
      '--noEmit',
      '--ignoreConfig',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      '',
    ];
    // Without the test runner's hooks, which break the compiler.
    const tsc = ['-u', 'NODE_OPTIONS', join(root, 'node_modules/.bin/tsc'), ...options, file];
    const { status, stdout, stderr } = spawnSync('env', tsc, { encoding: 'utf8' });
    return status === 0 ? [] : [stdout + stderr];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function asLiteral(manifest: Manifest, index: number): string {
  const type = `import('${moduleOf(manifest)}').I${manifest.kind}`;
  return `// ${nameOf(manifest)}\nexport const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
}

const moduleOf = ({ apiVersion, kind }: Manifest) =>
  `${operators[apiVersion.split('/')[0]] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata?.name}`;
