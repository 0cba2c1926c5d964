import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cutChangelog, notesOf } from '../src/changelog.ts';
import { checksumFile, checksumsOf } from '../src/checksums.ts';
import { gitIn } from '../src/git.ts';
import { licencesPage } from '../src/materials.ts';
import { readOptions } from '../src/options.ts';
import { provenance } from '../src/provenance.ts';
import { signBytes } from '../src/signature.ts';
import { tagVersion } from '../src/version.ts';

const changelog = '# Changelog\n\n## Unreleased\n\n- Two\n\n## 0.1.0 - 2026-11-01\n\n- One\n';
const cut =
  '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-24\n\n- Two\n\n## 0.1.0 - 2026-11-01\n\n- One\n';

t.test('the changelog is cut to a version, once', async (t) => {
  t.equal(cutChangelog(changelog, '0.2.0', '2026-11-24'), cut);
  t.throws(() => cutChangelog(cut, '0.3.0', '2026-11-25'), { message: /says nothing under/ });
  t.throws(() => cutChangelog('# Changelog\n', '0.3.0', '2026-11-25'), { message: /has no heading/ });
  t.equal(notesOf(cut, '0.2.0'), '- Two\n');
  t.equal(notesOf(cut, '0.1.0'), '- One\n');
});

t.test('options', async (t) => {
  t.match(readOptions(['0.2.0']), { images: true, platforms: ['linux/amd64', 'linux/arm64'] });
  t.throws(() => readOptions([]), { message: /name one version/ });
  t.throws(() => readOptions(['v0.2']), { message: /name one version/ });
  t.throws(() => readOptions(['0.2.0', '--base', 'node:24']), { message: /no digest/ });
});

t.test('a version is a commit and a tag; made again, it is left as it is', async (t) => {
  const root = t.testdir({
    'CHANGELOG.md': changelog,
    'package.json': '{\n  "name": "one",\n  "version": "0.1.0"\n}\n',
    deploy: {
      Dockerfile: 'ARG NODE_IMAGE=node:24\nARG VERSION=0.1.0\n',
      'README.md': 'docker build -t registry.example.com/payments/api:0.1.0 .\n',
      kubernetes: {
        base: { 'kustomization.yaml': '      app.kubernetes.io/version: 0.1.0\n' },
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
  t.match(read('deploy/README.md'), 'payments/api:0.2.0 ');
  t.match(read('deploy/kubernetes/overlays/production/kustomization.yaml'), 'newTag: 0.2.0}');
  t.match(read('deploy/kubernetes/base/kustomization.yaml'), 'version: 0.2.0');
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

t.test('checksums are those of sha256sum, and the provenance names them', async (t) => {
  const folder = t.testdir({ 'a.tar': 'a', 'b.json': '{}' });
  const files = await checksumsOf(folder);
  const printed = execFileSync('sha256sum', ['a.tar', 'b.json'], { cwd: folder, encoding: 'utf8' });
  t.equal(checksumFile(files), printed);
  const digest = 'd'.repeat(64);
  const statement = provenance({
    ...{ files, version: '0.2.0', revision: 'abc', platforms: ['linux/amd64'] },
    ...{ base: `docker.io/library/node@sha256:${digest}`, lockfileSha256: 'l' },
    ...{ startedOn: new Date(0), finishedOn: new Date(1_000) },
  });
  t.same(
    statement.subject.map(({ name }) => name),
    ['a.tar', 'b.json'],
  );
  t.match(statement.predicate.buildDefinition.resolvedDependencies, [
    { name: 'source', digest: { gitCommit: 'abc' } },
    { name: 'pnpm-lock.yaml' },
    { name: 'docker.io/library/node', digest: { sha256: digest } },
  ]);
});

t.test('each kind of key signs', async (t) => {
  const content = Buffer.from('sums');
  const keys = [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })];
  for (const { privateKey } of keys) {
    const { bytes, publicKey } = signBytes(
      content,
      privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
    const digest = privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
    t.ok(verify(digest, content, createPublicKey(publicKey), bytes));
    t.notOk(verify(digest, Buffer.from('other'), createPublicKey(publicKey), bytes));
  }
  t.throws(() => signBytes(content, 'no key'));
});

t.test('licences, by their name', async (t) => {
  const page = licencesPage({
    MIT: [{ name: 'b', versions: ['2.0.0'] }],
    ISC: [{ name: 'a', versions: ['1.0.0'] }],
  });
  t.match(page, /## ISC\n\n- a 1\.0\.0\n\n## MIT\n\n- b 2\.0\.0\n$/);
});
