import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../src/repository.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

t.test('every command says what it does, and does nothing else', (t) => {
  for (const [name, command] of Object.entries(scripts)) {
    const [, program = '', ...args] = command.split(' ');
    const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--help'], {
      cwd: root,
      encoding: 'utf8',
    });
    t.equal(program, 'node', name);
    t.equal(status, 0, `${name}: ${stderr}`);
    t.match(stdout, /^npm (start|test|run \S+)/, name);
    t.ok(stdout.split('\n').length >= 3, name);
  }
  t.end();
});

t.test('an unknown option is one line, and nothing is done', (t) => {
  for (const [name, command] of Object.entries(scripts)) {
    // What comes behind these belongs to Biome, and to the build of images.
    if (['lint', 'test:cluster', 'test:images'].includes(name)) continue;
    const [, , ...args] = command.split(' ');
    const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--nothing'], {
      cwd: root,
      encoding: 'utf8',
    });
    t.equal(status, 1, `${name}: ${stdout}`);
    // Tests end with their counts in every case, and a first run installs what its command needs.
    const lines = `${stdout}${stderr}`
      .split('\n')
      .filter((line) => line && !/^(\d passed, \d failed|setup: .*(…|done in))/.test(line));
    t.equal(lines.length, 1, `${name}: ${lines.join('\n')}`);
  }
  t.end();
});

t.test('-h is --help', (t) => {
  for (const script of ['scripts/src/demo.ts', 'packages/bank-check/src/main.ts']) {
    const run = (option: string) =>
      spawnSync(process.execPath, ['scripts/bootstrap.mjs', script, option], { cwd: root, encoding: 'utf8' });
    t.same(run('-h').stdout, run('--help').stdout, script);
    t.equal(run('-h').status, 0, script);
  }
  t.end();
});
