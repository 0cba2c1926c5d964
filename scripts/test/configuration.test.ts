import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiSettings } from '@payments/api/settings';
import { dispatcherSettings } from '@payments/dispatcher/settings';
import t from 'tap';
import { configurationPage } from '../src/configuration.ts';
import { root } from '../src/repository.ts';

const written = readFileSync(join(root, 'deploy/configuration.md'), 'utf8');

t.test('deploy/configuration.md is current: npm run settings writes it', async (t) => {
  t.equal(written, configurationPage());
});

t.test('the page describes every variable of both services', async (t) => {
  for (const name of [
    ...Object.keys(apiSettings.properties),
    ...Object.keys(dispatcherSettings.properties),
  ]) {
    const [row] = written.split('\n').filter((line) => line.startsWith(`| \`${name}\` |`));
    t.ok(row, name);
    t.notMatch(row ?? '', /\| {1,2}\|/, `${name}: no cell is empty`);
  }
  t.match(written, /\| `ADMIN_KEY` \| api \| string, at least 8 characters \| \*\*required\*\* \|/);
  t.match(written, /\| `DATABASE_POOL_SIZE` \| both \| integer, 2 to 500 \| `10` \|/);
  t.match(written, /\| `PORT` \| both \| integer, 0 to 65535 \| `3000` \/ `3002` \|/);
});
