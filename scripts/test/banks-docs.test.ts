import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiSettings } from '@payments/api/settings';
import { dispatcherSettings } from '@payments/dispatcher/settings';
import { readBanksFile } from '@payments/pix/banks-file';
import { type Psp, profiles, psps } from '@payments/pix/profiles/all';
import { marksUnknown } from '@payments/pix/profiles/profile';
import { banks } from '@payments/pix-simulator/banks/all';
import t from 'tap';
import { root } from '../src/repository.ts';

/** Each bank has its page and its row, honest about what was run. */
const folder = join(root, 'deploy/banks');
const page = (name: string) => readFileSync(join(folder, name), 'utf8');
const honest = /[Mm]odelled from public sources of November 2026; not run against the bank/;
const settings = { ...apiSettings.properties, ...dispatcherSettings.properties };
const named = psps.filter((psp): psp is Exclude<Psp, 'bacen'> => psp !== 'bacen');

t.test('every bank that is known is simulated, and every one simulated is known', async (t) => {
  t.same(Object.keys(banks).sort(), [...psps].sort());
});

for (const psp of named)
  t.test(psp, async (t) => {
    const text = page(`${psp}.md`);
    t.match(text, honest);
    t.ok(text.includes(`# ${profiles[psp].name}\n`));
    t.ok(text.includes(`PIX_PSP=${psp}\n`));
    const { sandbox } = profiles[psp];
    if (sandbox) t.ok(text.includes(`PIX_URL=${sandbox.url}`), 'the address of the test environment');
    for (const [name] of text.matchAll(/\bPIX_[A-Z0-9_]+\b/g)) t.ok(name in settings, name);
    t.equal(
      /not known whether a charge .* our mark/.test(text),
      profiles[psp].unknown.includes(marksUnknown),
    );
    const row = page('README.md')
      .split('\n')
      .find((line) => line.includes(`(${psp}.md)`));
    t.match(row, honest);
  });

t.test('links and settings of the table lead somewhere', async (t) => {
  const text = page('README.md');
  for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g))
    t.ok(existsSync(join(folder, target)), target);
  for (const [, name = ''] of text.matchAll(/`(PIX_[A-Z0-9_]+)`/g)) t.ok(name in settings, name);
});

t.test('the example of several banks is a good file, and its links lead somewhere', async (t) => {
  const text = page('several.md');
  for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g))
    t.ok(existsSync(join(folder, target)), target);
  const { banks: entries } = JSON.parse(/```json\n([^`]+)```/.exec(text)?.[1] ?? '');
  const place = t.testdir({ 'efi.secret': 'a', 'bb.secret': 'b' });
  const file = join(place, 'banks.json');
  // Certificates are not made up: a simulated address asks for none.
  const withoutFiles = entries.map(
    ({ p12File: _, certFile: __, keyFile: ___, ...entry }: Record<string, string>) => ({
      ...entry,
      url: 'https://simulated.example',
    }),
  );
  writeFileSync(file, JSON.stringify({ banks: withoutFiles }));
  t.match(readBanksFile(file, 1_000), [
    { id: 'default', options: { profile: { psp: 'efi' }, clientSecret: 'a' } },
    { id: 'bb', callbackUrl: 'https://pix.platform.example', options: { profile: { psp: 'bb' } } },
  ]);
});
