import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const unreleased = '## Unreleased\n';

/**
 * @param day as in `2026-11-24`
 * @returns the changelog with what is unreleased under the version, and an empty `Unreleased` above it
 * @throws Error if nothing is unreleased
 */
export function cutChangelog(changelog: string, version: string, day: string): string {
  const [before, after] = changelog.split(unreleased);
  if (before === undefined || after === undefined)
    throw new Error('CHANGELOG.md has no heading “Unreleased”');
  if (/^\s*(## |$)/.test(after)) throw new Error('CHANGELOG.md says nothing under “Unreleased”');
  return `${before}${unreleased}\n## ${version} - ${day}\n${after}`;
}

/** Where the version stands, besides the manifests of all packages. */
const others = [
  'deploy/Dockerfile',
  'deploy/README.md',
  'deploy/chart/Chart.yaml',
  'deploy/kubernetes/base/kustomization.yaml',
  'deploy/kubernetes/components/test-bank/kustomization.yaml',
  'deploy/kubernetes/overlays/production/kustomization.yaml',
  'services/api/openapi.json',
  'services/api/openapi-3.0.json',
  'services/api/openapi-admin.json',
];

/** The documents of the interface: as they are, and as the last release has them. */
export const interfaceDocuments = [
  ['services/api/openapi.json', 'services/api/openapi.released.json'],
  ['services/api/openapi-admin.json', 'services/api/openapi-admin.released.json'],
] as const;

/**
 * Commits and tags a version, with the changelog cut to it. A version that is tagged already is left as it is.
 * @throws Error if the work tree has changes, or the tag names another commit
 */
export function tagVersion(git: Git, root: string, version: string, day: string): void {
  const tag = `v${version}`;
  if (git('status', '--porcelain') !== '') throw new Error('the work tree has changes: commit them first');
  if (git('tag', '--list', tag) !== '') {
    if (git('rev-parse', `${tag}^{commit}`) === git('rev-parse', 'HEAD')) return;
    throw new Error(`${tag} is another commit: check it out, or name another version`);
  }
  rewrite(join(root, 'CHANGELOG.md'), (text) => cutChangelog(text, version, day));
  const manifests = git('ls-files', '--', 'package.json', '*/package.json').split('\n');
  for (const path of manifests)
    rewrite(join(root, path), (text) => text.replace(/^( {2}"version": )"[^"]+"/m, `$1"${version}"`));
  for (const path of others)
    rewrite(join(root, path), (text) =>
      text.replace(
        /(ARG VERSION=|newTag: |--version |[?]ref=v|tags\/v|(?:kubernetes\.io\/v|^v|^appV)ersion: |^ {4}"version": "|\/(?:api|dispatcher|simulator):)\d+\.\d+\.\d+/gm,
        `$1${version}`,
      ),
    );
  keepInterface(root);
  git('commit', '--quiet', '--all', '--message', `Release ${version}`);
  git('tag', '--annotate', tag, '--message', `Release ${version}`);
}

/** The next changes are compared with these (`interface.test.ts`): the documents of the interface as released. */
function keepInterface(root: string): void {
  for (const [now, released] of interfaceDocuments)
    if (existsSync(join(root, now))) copyFileSync(join(root, now), join(root, released));
}

function rewrite(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** Runs git in one repository, and returns its output without the last line's end. */
export type Git = (...args: string[]) => string;

export function gitIn(root: string): Git {
  return (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}
