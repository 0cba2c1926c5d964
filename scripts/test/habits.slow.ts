import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../src/repository.ts';

/** The commands that CONTRIBUTING.md names beside `npm test`. */
const file = 'packages/runtime/test/pace.test.ts';

function run(command: string, args: string[], cwd = root) {
  const { PATH, HOME, XDG_CACHE_HOME } = process.env;
  const env = { PATH, HOME, ...(XDG_CACHE_HOME && { XDG_CACHE_HOME }) };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

t.test('one test by its name', (t) => {
  const { status, output } = run('npm', ['test', '--', file, '-t', 'missed turns']);
  t.equal(status, 0, output);
  t.match(output, /\n2 skipped\n2 passed, 0 failed\n$/);
  t.end();
});

t.test('a file by Node alone, as a debugger starts it, and by tap', (t) => {
  const alone = run(process.execPath, ['--conditions=public-payments', file]);
  t.equal(alone.status, 0, alone.output);
  const tap = join(root, 'node_modules/.bin/tap');
  t.equal(run(tap, ['build']).status, 0);
  const byTap = run(tap, [file]);
  t.equal(byTap.status, 0, byTap.output);
  t.end();
});

t.test('a package’s own test and build', (t) => {
  const folder = join(root, 'packages/runtime');
  t.match(run('npm', ['test', '--', '-t', 'missed turns'], folder).output, /\d passed, 0 failed/);
  t.match(run('npm', ['run', 'build'], folder).output, /✓ @payments\/runtime/);
  t.end();
});

t.test('coverage has a figure for the package', (t) => {
  const { status, output } = run('npm', ['run', 'coverage', '--', file]);
  t.equal(status, 0, output);
  t.match(output, /^ *[\d.]+ % +[\d.]+ % {2}packages\/runtime$/m);
  t.end();
});

t.test('every package with tests has its test, and every one that is compiled its build', (t) => {
  for (const folder of globSync(['packages/*', 'services/*'], { cwd: root })) {
    const { name, scripts = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const has = (pattern: string) => globSync(pattern, { cwd: join(root, folder) }).length > 0;
    const program = 'node ../../scripts/bootstrap.mjs scripts/src';
    const test = has('test/**/*.test.ts') ? `${program}/test.ts ${folder}` : undefined;
    const build = has('tsconfig.json') ? `${program}/build.ts ${name}` : undefined;
    t.same({ test: scripts.test, build: scripts.build }, { test, build }, folder);
  }
  t.end();
});
