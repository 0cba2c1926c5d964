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
