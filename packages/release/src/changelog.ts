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
