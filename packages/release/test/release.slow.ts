import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

/** The command itself, in a clone. */
t.setTimeout(300_000);

t.test('npm run release makes a version, and its page of licences', async (t) => {
  const place = t.testdir({});
  const root = join(import.meta.dirname, '../../..');
  const clone = join(place, 'clone');
  const run = (command: string, args: string[], cwd = clone) =>
    execFileSync(command, args, { cwd, encoding: 'utf8' });
  run('git', ['clone', '--quiet', `file://${root}`, clone], place);
  for (const [name, value] of [
    ['user.name', 'Ana'],
    ['user.email', 'ana@example.com'],
  ] as const)
    run('git', ['config', name, value]);
  const release = (...args: string[]) =>
    run('node', ['scripts/bootstrap.mjs', 'packages/release/src/main.ts', ...args]);
  t.match(release('9.9.9'), /made v9\.9\.9/);
  t.match(run('git', ['log', '-1', '--format=%s %D']), /^Release 9\.9\.9 .*tag: v9\.9\.9/);
  const { info } = JSON.parse(readFileSync(join(clone, 'services/api/openapi.json'), 'utf8'));
  t.equal(info.version, '9.9.9');
  run('node', ['scripts/bootstrap.mjs', 'scripts/src/openapi.ts']);
  t.equal(
    run('git', ['status', '--porcelain']),
    '',
    'the released service describes itself with these documents',
  );
  release('--licences', join(place, 'licences.md'));
  const licences = readFileSync(join(place, 'licences.md'), 'utf8');
  for (const part of ['pg', 'fastify', 'highlight.js', 'minisearch', '@scalar/snippetz'])
    t.match(licences, `\n- ${part} `, part);
  t.notMatch(licences, '\n- tap ');
});
