import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { root } from '../src/repository.ts';

/** The files that contributors and maintainers find in `.github/`. */
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

t.test('images are named by their whole version', (t) => {
  const places: [path: string, image: RegExp][] = [
    ['deploy/Dockerfile', /NODE_IMAGE=\S*node:(\S+)/],
    ['.github/workflows/release.yml', /NODE_IMAGE: \S*node:([^@\s]+)@sha256:[\da-f]{64}\n/],
    ['packages/local-servers/src/container-images.ts', /'nats:([^']+)'/],
    ['packages/local-servers/src/container-images.ts', /'postgres:([^']+)'/],
    ['deploy/compose.yaml', /image: nats:(\S+)/],
    ['deploy/compose.yaml', /image: postgres:(\S+)/],
    ['deploy/kubernetes/components/nats-cluster/nats.yaml', /image: nats:([^@\s]+)/],
    ['deploy/kubernetes/overlays/development/nats.yaml', /image: nats:([^@\s]+)/],
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
  const node = readFileSync(join(root, '.node-version'), 'utf8').trim();
  t.strictSame([...(versions.get('node') ?? [])], [`${node}-slim`], 'Node is that of .node-version');
  const container = readFileSync(join(root, '.devcontainer.json'), 'utf8');
  t.match(container, `node:${node}-bookworm`);
  t.end();
});

t.test('pnpm has one version everywhere, and images take it by its hash', (t) => {
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  const { packageManager } = JSON.parse(text('package.json'));
  const [, wanted = ''] = /^pnpm@(\d+\.\d+\.\d+)\+sha512\.[\da-f]{128}$/.exec(packageManager) ?? [];
  const { packages } = JSON.parse(text('deploy/pnpm/package-lock.json'));
  const { '': asked, ...locked } = packages;
  t.equal(Object.keys(locked).length, Object.keys(asked.optionalDependencies).length);
  for (const [path, { version, integrity }] of Object.entries<Record<string, string>>(locked))
    t.match({ version, integrity }, { version: wanted, integrity: /^sha512-/ }, path);
  t.match(text('deploy/Dockerfile'), 'npm ci --prefix /pnpm');
  t.notMatch(text('deploy/Dockerfile'), /RUN npm (i|install) /);
  t.end();
});

t.test('what is generated is marked so, and there', (t) => {
  const text = readFileSync(join(root, '.gitattributes'), 'utf8');
  const marked = [...text.matchAll(/^(\S+) linguist-generated$/gm)].map(([, path = '']) => path);
  t.ok(marked.length >= 8);
  for (const path of marked) t.ok(existsSync(join(root, path.replace('/**', ''))), path);
  t.end();
});

t.test('no document tells anybody to install a name that is not ours: the client is a file', (t) => {
  const documents = globSync('**/*.md', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|\.data|\.git)$/.test(path),
  });
  t.ok(documents.length > 30);
  for (const path of documents) {
    const text = readFileSync(join(root, path), 'utf8');
    for (const [command, name = ''] of text.matchAll(/\b(?:npm|pnpm|yarn) (?:install|add|i) ([^\s`-]\S*)/g))
      t.match(name, /^\.\/.+\.tgz$/, `${path}: ${command}`);
  }
  t.end();
});
