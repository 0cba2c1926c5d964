import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { root } from '../src/repository.ts';

/** What contributors and maintainers find in `.github/`. */
const folder = join(root, '.github');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const { scripts, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

t.test('the workflows and issue templates are YAML', (t) => {
  const names = files.filter((name) => name.endsWith('.yml'));
  t.ok(names.length >= 5);
  for (const name of names) t.type(parse(read(name)), 'object', name);
  t.end();
});

t.test('what they run and link to is there', (t) => {
  for (const name of files.filter((one) => /\.(yml|md)$/.test(one))) {
    for (const [, script = ''] of read(name).matchAll(/npm run ([\w:]+)/g)) t.ok(scripts[script], script);
    for (const [, path = ''] of read(name).matchAll(/\]\(((?!https?:)[^)#]+)/g))
      t.ok(existsSync(join(folder, dirname(name), path)), `${name}: ${path}`);
  }
  t.end();
});

t.test('this version has its notes', (t) => {
  t.match(read(`release-notes/${version}.md`), version);
  t.end();
});

type Job = { permissions?: Record<string, string>; steps: { uses?: string; run?: string; with?: object }[] };
type Workflow = { name: string; permissions: Record<string, string>; jobs: [string, Job][] };

const workflows: Workflow[] = files
  .filter((name) => name.startsWith('workflows/'))
  .map((name) => {
    const { permissions, jobs } = parse(read(name));
    return { name, permissions, jobs: Object.entries<Job>(jobs) };
  });

t.test('actions are named by their commit, and Node by its version', (t) => {
  for (const { name, jobs } of workflows)
    for (const { uses, with: given } of jobs.flatMap(([, { steps }]) => steps)) {
      if (uses === undefined) continue;
      t.match(uses, /^[\w-]+\/[\w-]+@[\da-f]{40}$/, name);
      if (uses.startsWith('actions/setup-node')) t.match(given, { 'node-version': /^\d+\.\d+\.\d+$/ });
      if (uses.startsWith('actions/checkout')) t.match(given, { 'persist-credentials': false });
    }
  t.end();
});

t.test('a job that may write runs nothing of others: no checkout, no install, no npx', (t) => {
  const writes = ({ permissions }: Job) => Object.values(permissions ?? {}).includes('write');
  for (const { name, permissions, jobs } of workflows) {
    t.notOk(Object.values(permissions).includes('write'), `${name}: rights are a job's`);
    for (const [job, { steps }] of jobs.filter(([, one]) => writes(one)))
      for (const { uses = '', run = '' } of steps)
        t.notMatch(`${uses} ${run}`, /actions\/checkout|npx|npm (ci|i|install|run)|\.ci\/run/, job);
  }
  const writing = workflows.flatMap(({ jobs }) => jobs.filter(([, job]) => writes(job)));
  t.strictSame(
    writing.map(([job, { permissions }]) => [job, permissions]),
    [
      ['publish-docs', { pages: 'write', 'id-token': 'write' }],
      ['publish-client', { 'id-token': 'write' }],
      ['publish-release', { contents: 'write' }],
    ],
  );
  t.end();
});

t.test('a change is judged by three jobs: lint and types, the quick tests, the slow ones', (t) => {
  const { jobs = [] } = workflows.find(({ name }) => name === 'workflows/test.yml') ?? {};
  const commands = jobs.map(([job, { steps }]) => [job, ...steps.flatMap(({ run }) => run ?? [])]);
  t.strictSame(commands, [
    ['lint', 'npm run lint'],
    ['quick', 'npm test -- --quick', 'npm run test:busy -- --quick'],
    ['slow', 'npm run test:slow'],
  ]);
  t.end();
});

t.test('advisories are watched: of packages, actions and images', (t) => {
  const commands = workflows.flatMap(({ jobs }) => jobs.flatMap(([, { steps }]) => steps));
  t.ok(commands.some(({ run = '' }) => /pnpm audit --prod/.test(run)));
  t.ok(commands.some(({ uses = '' }) => uses.startsWith('actions/dependency-review-action@')));
  const { updates } = parse(read('dependabot.yml'));
  t.strictSame(
    updates.map((one: Record<string, string>) => one['package-ecosystem']),
    ['npm', 'github-actions', 'docker', 'docker-compose'],
  );
  t.end();
});

t.test('images are named by their whole version', (t) => {
  const places: [path: string, image: RegExp][] = [
    ['deploy/Dockerfile', /NODE_IMAGE=\S*node:(\S+)/],
    ['packages/release/src/images.ts', /library\/node:([^']+)'/],
    ['packages/local-servers/src/container-images.ts', /'nats:([^']+)'/],
    ['packages/local-servers/src/container-images.ts', /'postgres:([^']+)'/],
    ['deploy/compose.yaml', /image: nats:(\S+)/],
    ['deploy/compose.yaml', /image: postgres:(\S+)/],
    ['deploy/kubernetes/components/nats-cluster/nats.yaml', /image: nats:(\S+)/],
    ['deploy/kubernetes/overlays/development/nats.yaml', /image: nats:(\S+)/],
    ['deploy/kubernetes/overlays/development/postgres.yaml', /image: postgres:(\S+)/],
  ];
  const versions = new Map<string, Set<string>>();
  for (const [path, image] of places) {
    const [whole = '', tag = ''] = image.exec(readFileSync(join(root, path), 'utf8')) ?? [];
    t.match(tag, /^\d+\.\d+(\.\d+)?-/, `${path}: ${whole}`);
    const name = /node|nats|postgres/.exec(whole)?.[0] ?? '';
    versions.set(name, (versions.get(name) ?? new Set()).add(tag));
  }
  for (const [name, tags] of versions) t.equal(tags.size, 1, `${name}: ${[...tags]}`);
  t.end();
});

t.test('pnpm has one version everywhere, and images take it by its hash', (t) => {
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  const [, wanted = ''] = /^const pnpm = '(.+)';$/m.exec(text('scripts/bootstrap/dependencies.mjs')) ?? [];
  const { packages } = JSON.parse(text('deploy/pnpm/package-lock.json'));
  const { '': asked, ...locked } = packages;
  t.equal(Object.keys(locked).length, Object.keys(asked.optionalDependencies).length);
  for (const [path, { version, integrity }] of Object.entries<Record<string, string>>(locked))
    t.match({ version, integrity }, { version: wanted, integrity: /^sha512-/ }, path);
  t.match(text('deploy/Dockerfile'), 'npm ci --prefix /pnpm');
  t.notMatch(text('deploy/Dockerfile'), /RUN npm (i|install) /);
  t.end();
});
