import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The programs of a release. */
export const programs = ['api', 'dispatcher'] as const;

/** Writes a bill of materials (CycloneDX) for each program, and the licences of all that they contain. */
export function writeMaterials(pnpm: readonly string[], root: string, out: string): void {
  const run = (...args: string[]) =>
    execFileSync(pnpm[0]!, [...pnpm.slice(1), ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  for (const program of programs) {
    const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--prod'];
    const file = join(out, `payments-${program}.cdx.json`);
    run('--filter', `@payments/${program}`, 'sbom', ...options, '--out', file);
  }
  const filters = programs.flatMap((program) => ['--filter', `@payments/${program}`]);
  const found = JSON.parse(run(...filters, 'licenses', 'list', '--prod', '--json'));
  writeFileSync(join(out, 'licences.md'), licencesPage(found));
}

export type Licences = Record<string, { name: string; versions: string[] }[]>;

/** @returns the packages by their licence */
export function licencesPage(licences: Licences): string {
  const sections = Object.entries(licences)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([licence, packages]) => {
      const lines = packages.map(({ name, versions }) => `- ${name} ${versions.join(', ')}`).sort();
      return `## ${licence}\n\n${lines.join('\n')}\n`;
    });
  return `# Licences of what the images contain, besides Node\n\n${sections.join('\n')}`;
}
