import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bundledIn, licencesPage } from '../src/licences.ts';
import { readOptions } from '../src/options.ts';
import { cutChangelog, gitIn, tagVersion } from '../src/version.ts';

const changelog = '# Changelog\n\n## Unreleased\n\n- Two\n\n## 0.1.0 - 2026-11-01\n\n- One\n';
const cut =
  '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-24\n\n- Two\n\n## 0.1.0 - 2026-11-01\n\n- One\n';

t.test('the changelog is cut to a version, once', async (t) => {
  t.equal(cutChangelog(changelog, '0.2.0', '2026-11-24'), cut);
  t.throws(() => cutChangelog(cut, '0.3.0', '2026-11-25'), { message: /says nothing under/ });
  t.throws(() => cutChangelog('# Changelog\n', '0.3.0', '2026-11-25'), { message: /has no heading/ });
});

t.test('options', async (t) => {
  t.strictSame(readOptions(['0.2.0']), { version: '0.2.0' });
  t.strictSame(readOptions(['--licences', 'licences.md']), { licences: 'licences.md' });
  t.throws(() => readOptions([]), { message: /name one version/ });
  t.throws(() => readOptions(['v0.2']), { message: /name one version/ });
});

t.test('a version is a commit and a tag; made again, it is left as it is', async (t) => {
  const root = t.testdir({
    'CHANGELOG.md': changelog,
    'package.json': '{\n  "name": "one",\n  "version": "0.1.0"\n}\n',
    services: {
      api: {
        'openapi.json': '{\n  "info": {\n    "version": "0.1.0"\n  }\n}\n',
        'openapi-3.0.json': '{}',
        'openapi.released.json': '{}',
        'openapi-admin.json': '{"now":2}',
        'openapi-admin.released.json': '{}',
      },
    },
    deploy: {
      chart: { 'Chart.yaml': 'apiVersion: v2\nversion: 0.1.0\nappVersion: 0.1.0\n' },
      Dockerfile: 'ARG NODE_IMAGE=node:24\nARG VERSION=0.1.0\n',
      'README.md':
        'docker build -t one/payments/api:0.1.0 .\ndocker build -t one/payments/simulator:0.1.0 .\n',
      kubernetes: {
        base: { 'kustomization.yaml': '      app.kubernetes.io/version: 0.1.0\n' },
        components: { 'test-bank': { 'kustomization.yaml': '  - {newTag: 0.1.0}\n' } },
        overlays: { production: { 'kustomization.yaml': '  - {newTag: 0.1.0}\n' } },
      },
    },
  });
  const git = gitIn(root);
  git('init', '--quiet');
  git('config', 'user.name', 'Ana');
  git('config', 'user.email', 'ana@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  tagVersion(git, root, '0.2.0', '2026-11-24');
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  t.equal(read('CHANGELOG.md'), cut);
  t.equal(JSON.parse(read('package.json')).version, '0.2.0');
  t.equal(read('deploy/Dockerfile'), 'ARG NODE_IMAGE=node:24\nARG VERSION=0.2.0\n');
  for (const image of ['api', 'simulator']) t.match(read('deploy/README.md'), `payments/${image}:0.2.0 `);
  t.match(read('deploy/kubernetes/overlays/production/kustomization.yaml'), 'newTag: 0.2.0}');
  t.match(read('deploy/kubernetes/base/kustomization.yaml'), 'version: 0.2.0');
  t.equal(read('deploy/chart/Chart.yaml'), 'apiVersion: v2\nversion: 0.2.0\nappVersion: 0.2.0\n');
  t.match(JSON.parse(read('services/api/openapi.json')), { info: { version: '0.2.0' } });
  t.equal(
    read('services/api/openapi.released.json'),
    read('services/api/openapi.json'),
    'the next changes are compared with it',
  );
  t.equal(read('services/api/openapi-admin.released.json'), '{"now":2}');
  t.equal(git('status', '--porcelain'), '');
  const made = git('rev-parse', 'v0.2.0^{commit}');
  t.equal(git('rev-parse', 'HEAD'), made);
  tagVersion(git, root, '0.2.0', '2026-11-25');
  t.equal(git('rev-parse', 'HEAD'), made);
  git('commit', '--quiet', '--allow-empty', '--message', 'Go on');
  t.throws(() => tagVersion(git, root, '0.2.0', '2026-11-25'), { message: /another commit/ });
  execFileSync('touch', ['new.txt'], { cwd: root });
  t.throws(() => tagVersion(git, root, '0.3.0', '2026-11-25'), { message: /has changes/ });
});

t.test('licences, by their name, with what a script has inside', async (t) => {
  const script = '/*!\nThis file contains:\n\nc 3.0.0 (MIT)\n\nMIT License\n*/\n(()=>{})();\n';
  const found = { MIT: [{ name: 'b', versions: ['2.0.0'] }], ISC: [{ name: 'a', versions: ['1.0.0'] }] };
  const page = licencesPage(found, bundledIn(script));
  t.match(page, /## ISC\n\n- a 1\.0\.0\n\n## MIT\n\n- b 2\.0\.0\n- c 3\.0\.0\n$/);
});
