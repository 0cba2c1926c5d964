import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '@payments/local-servers/executable';
import { firstPaymentCommands, programsOf, runProgram, tokenLineOf } from '@payments/testing/docs-programs';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** The first payment of the guide at `/docs/guide`: copied from the page, and run in every language. */
const simulatorUrl = 'http://localhost:3003';
const folder = mkdtempSync(join(tmpdir(), 'payments-docs-'));
const DOCS_TOKEN_FILE = join(folder, 'demo-store.json');
writeFileSync(DOCS_TOKEN_FILE, '');
const system = await startSystem({ env: { DOCS_SIMULATOR_URL: simulatorUrl, DOCS_TOKEN_FILE } });
t.teardown(async () => {
  await system.stop();
  rmSync(folder, { recursive: true });
});
const { token } = await system.createStore();
writeFileSync(DOCS_TOKEN_FILE, JSON.stringify({ token }));
const publicUrl = system.env.PUBLIC_URL ?? '';
const pages = await Promise.all(['/docs/guide', '/docs/pt/guide'].map((path) => system.api(path)));

t.test('the page offers the demonstration store’s token', (t) => {
  for (const { text, headers } of pages) {
    t.equal(tokenLineOf(text), `export TOKEN=${token}`);
    t.equal(headers.get('cache-control'), 'no-store');
  }
  t.end();
});

for (const [title, command] of Object.entries(firstPaymentCommands)) {
  const program = command('')[0];
  const skip = !findExecutable(program) && `no ${program} on this machine`;
  t.test(title, { skip }, async (t) => {
    for (const { text } of pages) {
      const source = programsOf(text, 'first')
        [title]?.replaceAll(publicUrl, system.url)
        .replaceAll(simulatorUrl, system.bankUrl);
      const { status, output } = await runProgram(title, source ?? '', { folder, token });
      t.equal(status, 0, output);
      t.match(output, /^000201/m, 'shows the code');
      t.match(output, /"status":"approved"|^approved 19\.9$/m);
    }
  });
}

t.test('on a hosted page they have no bank that a program could pay at', async (t) => {
  const hosted = await startSystem({ dispatcher: false });
  t.teardown(hosted.stop);
  const { text } = await hosted.api('/docs/guide');
  t.equal(tokenLineOf(text), 'export TOKEN=YOUR_TOKEN');
  const programs = programsOf(text, 'first');
  t.strictSame(Object.keys(programs), Object.keys(firstPaymentCommands));
  for (const source of Object.values(programs)) {
    t.match(source, /^\W+4\. Wait/m);
    t.notMatch(source, /bank\/pay|simulated|local$/m);
  }
});
