import { readEnvironment } from '@payments/runtime/environment';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { apiSettings } from '../../src/settings.ts';

/** `/.well-known/security.txt` (RFC 9116), and the page that it names. */
let today = new Date('2026-03-01T15:00:00Z');
const contact = 'mailto:seguranca@loja.example';
const named = await startSystem({
  dispatcher: false,
  now: () => today,
  env: { SECURITY_CONTACT: contact },
});
const unnamed = await startSystem({ dispatcher: false });
t.teardown(() => Promise.all([named.stop(), unnamed.stop()]));

const fieldsOf = (text: string) =>
  Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/: (.*)/, 2)),
  ) as Record<string, string>;
const path = '/.well-known/security.txt';

t.test('names the contact of the setting, in the form of RFC 9116', async (t) => {
  const { status, headers, text } = await named.api(path);
  t.equal(status, 200);
  t.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  t.match(headers.get('cache-control'), /^public, max-age=\d+$/);
  const url = named.env.PUBLIC_URL ?? '';
  t.strictSame(fieldsOf(text), {
    Contact: contact,
    Expires: '2026-05-30T00:00:00Z',
    'Preferred-Languages': 'en, pt',
    Canonical: `${url}${path}`,
    Policy: `${url}/docs/security`,
  });
  for (const page of ['/docs/security', '/docs/pt/security', '/docs/security.md'])
    t.match((await named.api(page)).text, contact, page);
});

t.test('it expires in the future on any day, though nobody edits anything', async (t) => {
  for (const day of ['2026-12-31T23:59:59Z', '2031-02-28T12:00:00Z']) {
    today = new Date(day);
    const { Expires = '' } = fieldsOf((await named.api(path)).text);
    const days = (Date.parse(Expires) - today.getTime()) / 86_400_000;
    t.ok(days > 80 && days < 365, `${day}: ${Expires}`);
  }
});

t.test('without the setting, it leads to a page that names support', async (t) => {
  const { Contact = '' } = fieldsOf((await unnamed.api(path)).text);
  t.equal(Contact, `${unnamed.env.PUBLIC_URL}/docs/security`);
  const page = await (await fetch(Contact)).text();
  t.match(page, 'support of the platform');
  t.notMatch(page, /security_contact|mailto:/);
});

t.test('a contact that is no URI stops the start', (t) => {
  const read = (SECURITY_CONTACT: string) => readEnvironment(apiSettings, { ...named.env, SECURITY_CONTACT });
  for (const wrong of [
    'seguranca@loja.example',
    'http://loja.example',
    'mailto:x',
    'mailto:a@b\nExpires: never',
  ])
    t.throws(() => read(wrong), /SECURITY_CONTACT/, wrong);
  t.equal(read('https://loja.example/seguranca').SECURITY_CONTACT, 'https://loja.example/seguranca');
  t.end();
});
