import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

/** The command itself, in a clone, without images: `npm run test:images` builds those. */
t.setTimeout(300_000);

t.test('npm run release makes a version whose files are complete and signed', async (t) => {
  const place = t.testdir({});
  const root = join(import.meta.dirname, '../../..');
  const [clone, key] = [join(place, 'clone'), join(place, 'key.pem')];
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const run = (command: string, args: string[], cwd = clone) =>
    execFileSync(command, args, { cwd, encoding: 'utf8' });
  run('git', ['clone', '--quiet', `file://${root}`, clone], place);
  for (const [name, value] of [
    ['user.name', 'Ana'],
    ['user.email', 'ana@example.com'],
  ] as const)
    run('git', ['config', name, value]);
  const printed = run('node', [
    ...['scripts/bootstrap.mjs', 'packages/release/src/main.ts'],
    ...['9.9.9', '--no-images', '--key', key],
  ]);
  t.match(printed, /made v9\.9\.9/);
  const out = join(clone, '.data/release/9.9.9');
  const read = (name: string) => readFileSync(join(out, name), 'utf8');
  t.match(run('git', ['log', '-1', '--format=%s %D']), /^Release 9\.9\.9 .*tag: v9\.9\.9/);
  t.match(run('sha256sum', ['--check', 'SHA256SUMS'], out), /payments-api\.cdx\.json: OK/);
  const signature = ['-pubin', '-inkey', 'SHA256SUMS.pub', '-rawin', '-in', 'SHA256SUMS'];
  t.match(
    run('openssl', ['pkeyutl', '-verify', ...signature, '-sigfile', 'SHA256SUMS.sig'], out),
    /Verified Successfully/,
  );
  for (const program of ['api', 'dispatcher']) {
    const bill = JSON.parse(read(`payments-${program}.cdx.json`));
    t.match(bill, { bomFormat: 'CycloneDX', metadata: { component: { name: program, version: '9.9.9' } } });
    t.ok(bill.components.some(({ name }: { name: string }) => name === 'pg'));
    t.notOk(bill.components.some(({ name }: { name: string }) => name === 'tap'));
  }
  t.match(read('licences.md'), /## MIT\n/);
  const { subject } = JSON.parse(read('provenance.json'));
  t.equal(subject.length, 5);
  t.match(read('notes.md'), /^The first release|^- /);
});
