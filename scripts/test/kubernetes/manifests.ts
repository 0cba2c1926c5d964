import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '@payments/testing/http';
import { parseAllDocuments } from 'yaml';
import { kubernetesProgram } from '../../src/kubernetes-programs.ts';

export type Manifest = Json;

export const folder = join(import.meta.dirname, '../../../deploy/kubernetes');

/** @returns every resource in the files, without the overlays' patches and kustomizations */
export function written(): Manifest[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  return files.flatMap((name) => read(readFileSync(join(folder, name), 'utf8'))).filter(isResource);
}

/** @returns the rendered resources of an overlay; undefined without kubectl */
export function rendered(overlay: string): Manifest[] | undefined {
  return renderedFolder(join(folder, 'overlays', overlay));
}

/** @returns the rendered resources of a folder with a kustomization; undefined without kubectl */
export function renderedFolder(path: string): Manifest[] | undefined {
  const kubectl = kubernetesProgram('kubectl');
  if (kubectl === undefined) return undefined;
  const { status, stdout, stderr } = spawnSync(kubectl, ['kustomize', path], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return read(stdout);
}

export function read(text: string): Manifest[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

function isResource(document: Manifest): boolean {
  return document?.kind !== undefined && !['Kustomization', 'Component'].includes(document.kind);
}

/** @returns the pod that a resource makes, if it makes one */
export function podOf(manifest: Manifest): Manifest | undefined {
  return manifest.kind === 'Pod' ? manifest.spec : manifest.spec?.template?.spec;
}
