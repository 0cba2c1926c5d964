import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { eventTypes } from '@payments/domain/events';
import { type Mover, mayTransition, paymentStatuses } from '@payments/domain/status';
import { findExecutable } from '@payments/local-servers/executable';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { html } from '../../src/pages/html.ts';

/** The statements and commands of the guide at `/docs/guide` are true. */
const docs = join(import.meta.dirname, '../../docs');
const text = (file: string) => readFileSync(join(docs, file), 'utf8');
const simulatorUrl = 'http://localhost:3003';
const system = await startSystem({ env: { DOCS_SIMULATOR_URL: simulatorUrl } });
t.teardown(system.stop);
const page = (await system.api('/docs/guide')).text;

t.test('links lead to what is there', async (t) => {
  for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) t.match(page, `id="${id}"`, `#${id}`);
  for (const [, path] of page.matchAll(/href="(\/[^"#]*)/g)) {
    t.equal((await system.api(path ?? '')).status, 200, `${path}`);
  }
  t.notMatch(page, /<!-- |\{base_url\}|\{docs\}|\{bank_url\}/, 'every place is filled');
});

t.test('only where a simulated bank is set, it says what needs one', async (t) => {
  const local = /localhost|simulated bank|banco simulado|npm (start|run)|on your machine|no seu computador/;
  t.match(page, `${simulatorUrl}/bank/pay`);
  t.match(page, local);
  const hosted = await startSystem({ dispatcher: false });
  t.teardown(hosted.stop);
  for (const path of [
    '/docs',
    '/docs/guide',
    '/docs/pt',
    '/docs/pt/guide',
    '/docs/guide/',
    '/docs/pt/changes/',
  ]) {
    const answer = await hosted.api(path);
    t.equal(answer.status, 200, path);
    const text = answer.text.replaceAll(hosted.url, '');
    t.equal(text.match(local)?.[0], undefined, path);
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) t.match(text, `id="${id}"`, `${path}#${id}`);
  }
});

t.test('whatever is said to be retried with 5xx includes 408, as the client does', async (t) => {
  const said = ['guide.md', 'pt/guide.md', 'client/charge.ts', '../../../packages/client/README.md'];
  for (const file of said) {
    const lines = text(file)
      .split('\n')
      .filter((line) => /429.*5xx/.test(line));
    t.ok(lines.length > 0, file);
    for (const line of lines) t.match(line, '408', file);
  }
});

t.test('the picture has the domain’s statuses and transitions, and no others', async (t) => {
  const actors: Mover[] = ['psp', 'expiry', 'review-timeout', 'refund', 'administrator'];
  const edges = paymentStatuses.flatMap((from) =>
    paymentStatuses
      .filter((to) => actors.some((actor) => mayTransition(from, to, actor)))
      .map((to) => `${from} ${to}`),
  );
  const picture = text('states.svg');
  const drawn = [...picture.matchAll(/data-edge="([^"]+)"/g)].map(([, edge]) => edge);
  t.strictSame(drawn.sort(), edges.sort());
  const named = [...picture.matchAll(/class="name"[^>]*>([^<]+)/g)].map(([, name]) => name);
  t.strictSame(named.sort(), [...paymentStatuses].sort());
});

t.test('the picture names every event, and draws those that stay in a status', async (t) => {
  const picture = text('states.svg');
  const named = [...picture.matchAll(/class="label event"[^>]*>([^<]+)/g)].map(([, name]) => name);
  t.strictSame(named, eventTypes);
  const drawn = [...picture.matchAll(/data-event="([^"]+)"/g)].map(([, event]) => event);
  t.strictSame(new Set(drawn), new Set(['payment.created', 'payment.updated']));
  const translations = JSON.parse(text('pt/picture.json'));
  const labels = [...picture.matchAll(/<(?:title|desc|text class="label[ a-z]*")[^>]*>([^<]+)/g)];
  const missing = labels.map(([, label = '']) => label).filter((label) => !translations[label]);
  t.strictSame(missing, eventTypes, 'all else is translated');
});

t.test('every error that the stores’ operations document is in its table', async (t) => {
  const { body: document } = await system.api('/docs/json');
  const messages = [...JSON.stringify(document).matchAll(/"value":(\{"statusCode":.*?\})/g)].map(
    ([, body]) => JSON.parse(body ?? '').message as string,
  );
  t.ok(new Set(messages).size > 25);
  for (const message of messages) t.match(page, String(html`<code>${message}</code>`), message);
});

t.test('its commands work as they stand', { skip: !findExecutable('curl') && 'no curl' }, async (t) => {
  const { token } = await system.createStore();
  const blocks = [...text('guide.md').matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block]) => block);
  t.ok(blocks.length >= 3);
  const script = blocks
    .join('\n')
    .replaceAll('{base_url}', system.url)
    .replaceAll('{bank_url}', system.bankUrl);
  // The system runs in this process, so the script must not block it.
  const { stdout, stderr, status } = await run(script, token);
  t.equal(stderr, '');
  t.equal(status, 0);
  t.match(stdout, /"items":\[\].*"items":\[\]/s);
});

async function run(script: string, token: string) {
  const child = spawn('bash', ['-e'], { env: { PATH: process.env.PATH, TOKEN: token } });
  child.stdin.end(script);
  const ended = once(child, 'close');
  const [stdout, stderr, [status]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
  return { stdout, stderr, status };
}
