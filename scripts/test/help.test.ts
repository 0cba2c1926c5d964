import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { browserCommand } from '../src/open-browser.ts';
import { root } from '../src/repository.ts';
import { readStartOptions } from '../src/start-options.ts';

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

t.test('npm start -- --open', (t) => {
  t.match(readStartOptions(['--open', '--banks', 'efi']), { open: true, banks: 'efi' });
  t.throws(() => readStartOptions(['--opne']), { message: "Unknown option '--opne'" });
  const url = 'http://localhost:3000/docs';
  t.strictSame(browserCommand('linux', url), ['xdg-open', url]);
  t.strictSame(browserCommand('darwin', url), ['open', url]);
  t.strictSame(browserCommand('win32', url), ['cmd', '/c', 'start', '', url]);
  t.end();
});
