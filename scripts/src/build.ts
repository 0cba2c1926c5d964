import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { root, runTool } from './repository.ts';

/**
 * `npm run build`: compiles every package and service to JavaScript in its dist/, each after its imports, and bundles
 * the programs. Package names as arguments build those and their imports.
 */
type Member = { name: string; folder: string; needs: string[] };

// The attack and the benchmark have no tsconfig: they run from their sources.
const members = ['packages', 'services']
  .flatMap((group) => readdirSync(join(root, group)).map((name) => join(root, group, name)))
  .filter((folder) => existsSync(join(folder, 'tsconfig.json')))
  .map(read);
const builds = new Map<string, Promise<boolean>>();
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !members.some((member) => member.name === name));
if (unknown !== undefined) {
  console.error(`not built: there is no package ${unknown}`);
  process.exit(1);
}
const wanted = members.filter(({ name }) => asked.length === 0 || asked.includes(name));
const results = await Promise.all(wanted.map(build));
if (results.includes(false)) process.exitCode = 1;

function read(folder: string): Member {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    dependencies?: Record<string, string>;
  };
  const needs = Object.entries(manifest.dependencies ?? {}).filter(([, version]) =>
    version.startsWith('workspace:'),
  );
  return { name: manifest.name, folder, needs: needs.map(([name]) => name) };
}

/** Types come from the dist/ of the imports, so those are built first. */
function build(member: Member): Promise<boolean> {
  const begun = builds.get(member.name) ?? buildAfterNeeds(member);
  builds.set(member.name, begun);
  return begun;
}

async function buildAfterNeeds(member: Member): Promise<boolean> {
  const needed = members.filter(({ name }) => member.needs.includes(name));
  if ((await Promise.all(needed.map(build))).includes(false)) return false;
  await rm(join(member.folder, 'dist'), { recursive: true, force: true });
  const { ok, output, seconds } = await runTool('tsc', ['-p', 'tsconfig.json'], member.folder);
  if (ok) await bundle(member.name, member.folder);
  console.log(`${ok ? '✓' : '✗'} ${member.name}  ${seconds.toFixed(1)} s`);
  if (!ok) console.log(`${output}\n`);
  return ok;
}
