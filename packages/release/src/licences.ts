import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Licences = Record<string, { name: string; versions: string[] }[]>;

/**
 * @param pnpm the command that runs pnpm
 * @returns the page of all that the images contain besides Node: the programs' packages, and what the docs pages' script
 *   has inside
 */
export function licencesOf(root: string, pnpm: readonly string[]): string {
  const filters = ['api', 'dispatcher', 'pix-simulator'].flatMap((name) => [
    '--filter',
    `@payments/${name}...`,
  ]);
  const args = [...pnpm.slice(1), ...filters, 'licenses', 'list', '--prod', '--json'];
  const printed = execFileSync(pnpm[0]!, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const found: Licences = JSON.parse(printed);
  return licencesPage(found, bundledIn(readFileSync(join(root, 'services/api/docs/assets/docs.js'), 'utf8')));
}

/** @returns the packages that a script names at its head, each as `name version (licence)` above its licence's text */
export function bundledIn(script: string): Licences {
  const found: Licences = {};
  const [head = ''] = script.split('\n*/\n');
  for (const [, name = '', version = '', licence = ''] of head.matchAll(/^(\S+) (\d\S*) \((\S+)\)$/gm)) {
    found[licence] ??= [];
    found[licence].push({ name, versions: [version] });
  }
  return found;
}

/** @returns the packages by their licence */
export function licencesPage(...sources: Licences[]): string {
  const lines = new Map<string, Set<string>>();
  for (const [licence, packages] of sources.flatMap(Object.entries<Licences[string]>)) {
    const known = lines.get(licence) ?? new Set();
    for (const { name, versions } of packages) known.add(`- ${name} ${versions.join(', ')}`);
    lines.set(licence, known);
  }
  const sections = [...lines]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([licence, packages]) => `## ${licence}\n\n${[...packages].sort().join('\n')}\n`);
  return `# Licences of what the images contain, besides Node and Debian's libraries\n\n${sections.join('\n')}`;
}
