import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiSettings } from '@payments/api/settings';
import { dispatcherSettings } from '@payments/dispatcher/settings';
import t from 'tap';
import { root } from '../src/repository.ts';
import { readme } from './fixtures/readme.ts';

/**
 * The README's commands, links and settings exist. Its commands run in start.slow.ts, build.slow.ts and
 * webhooks-listen.slow.ts.
 */
const text = readme();

t.test('the README has exactly the commands of package.json', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const told = [...text.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name);
  t.strictSame([...new Set(told)].filter((name) => name !== 'ci').sort(), Object.keys(scripts).sort());
});

t.test('every link points to a file or a heading', async (t) => {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(
    ([, title]) => `#${title?.toLowerCase().replaceAll(' ', '-')}`,
  );
  for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
    if (target.startsWith('#')) t.ok(headings.includes(target), target);
    else if (!target.startsWith('http')) t.ok(existsSync(join(root, target)), target);
  }
  for (const [, path = ''] of text.matchAll(/`((?:packages|services|scripts|deploy)\/[\w./-]*)`/g))
    t.ok(existsSync(join(root, path)), path);
});

t.test('the README has exactly the settings of the services, with their defaults', async (t) => {
  // OpenTelemetry's settings share a row; the reference has each (configuration.test.ts).
  const isTold = ([name]: [string, unknown]) => !name.startsWith('OTEL_');
  const settings: Record<string, { default?: unknown }> = Object.fromEntries(
    Object.entries({ ...dispatcherSettings.properties, ...apiSettings.properties }).filter(isTold),
  );
  const rows = text.split('\n').filter((line) => /^\| `(?!OTEL_)[A-Z]/.test(line));
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  );
  t.strictSame(named.sort(), Object.keys(settings).sort());

  const inWords = ['WEBHOOK_RETRY_SECONDS', 'WEBHOOK_ALLOW_PRIVATE'];
  for (const [name, { default: value }] of Object.entries(settings)) {
    if (value === undefined || inWords.includes(name)) continue;
    const row = rows.find((line) => line.includes(`\`${name}\``)) ?? '';
    const defaults =
      row
        .split('|')
        .at(-2)
        ?.replaceAll('`', '')
        .split(/, | or |; /) ?? [];
    t.ok(defaults.map((one) => one.trim()).includes(String(value)), `${name} is ${value}: ${row}`);
  }
});
