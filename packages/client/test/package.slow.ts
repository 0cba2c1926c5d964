import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import { publint } from 'publint';
import t from 'tap';
import { client, packClient, root, run, tsc } from './packed-client.ts';

/** The package as a store installs it: packed, in a separate project, with another Node. */
const docs = join(root, 'services/api/docs/client');
const folder = t.testdir({ package: {}, store: {} });
const [packed, store] = [join(folder, 'package'), join(folder, 'store')];

const { tarball, files } = packClient(packed);
writeFileSync(join(store, 'package.json'), JSON.stringify({ name: 'store', private: true, type: 'module' }));
run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], store);
for (const name of readdirSync(docs)) cpSync(join(docs, name), join(store, name));

t.test('the package has what it needs, and nothing else', async (t) => {
  const names = (files as { path: string }[]).map(({ path }) => path);
  t.strictSame(names.filter((name) => !/^(dist|src)\//.test(name)).sort(), [
    'LICENSE',
    'README.md',
    'package.json',
  ]);
  const manifest = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  t.notOk(manifest.dependencies, 'no dependencies');
  t.equal(manifest.license, 'MIT');
  for (const { types, default: script } of [manifest.exports['.'], manifest.exports['./webhooks']]) {
    for (const path of [types, script]) t.ok(names.includes(path.slice(2)), path);
  }
  for (const name of names.filter((one) => one.endsWith('.js')))
    t.notMatch(
      readFileSync(join(packed, name), 'utf8'),
      /from 'node:|require\(|\bprocess\b|\bBuffer\b/,
      `${name} runs anywhere`,
    );
});

t.test('linters of packages find nothing in it', async (t) => {
  const { messages } = await publint({ pkgDir: packed, pack: false, strict: true });
  t.strictSame(messages, [], 'publint');
  const checked = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  const problems = 'problems' in checked ? checked.problems : ['no types'];
  // CommonJS programs load ES modules by `require`, as the next test does, and need no second build.
  const others = problems.filter((one) => typeof one === 'string' || !isOfEsModules(one));
  t.strictSame(others, [], 'are the types wrong?');
});

t.test('CommonJS programs require it', async (t) => {
  const program =
    "const { createClient } = require('public-payments-client'); console.log(typeof createClient)";
  t.equal(run(process.execPath, ['--input-type=commonjs', '-e', program], store), 'function\n');
});

t.test('the README shows the examples that run here', async (t) => {
  const manual = readFileSync(join(client, 'README.md'), 'utf8');
  for (const name of readdirSync(docs)) t.ok(manual.includes(readFileSync(join(docs, name), 'utf8')), name);
});

// Comes first: its output runs below.
t.test('a store’s compiler accepts its types', async (t) => {
  const environment = `declare const process: { env: Record<string, string | undefined> };
declare module 'node:fs' {
  function existsSync(path: string): boolean;
  function renameSync(from: string, to: string): void;
  function readFileSync(path: URL | string, encoding: string): string;
  function writeFileSync(path: string, text: string): void;
}
`;
  writeFileSync(join(store, 'environment.d.ts'), environment);
  writeFileSync(
    join(store, 'received.ts'),
    `import { readFileSync } from 'node:fs';
import { POST } from './receive.js';
const { headers, body } = JSON.parse(readFileSync(new URL('../webhook.json', import.meta.url), 'utf8'));
for (const one of [body, body + ' '])
  console.log((await POST(new Request('http://store', { method: 'POST', headers, body: one }))).status);
`,
  );
  writeFileSync(
    join(store, 'wrong.ts'),
    `import { createClient } from 'public-payments-client';
const payments = createClient({ baseUrl: '', token: '' });
// @ts-expect-error: no such field
await payments.create({ amount: 5, colour: 'red' });
// @ts-expect-error: no such status
await payments.list({ status: 'lost' });
`,
  );
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom', 'dom.asynciterable'],
    types: [],
    strict: true,
    outDir: 'dist',
  };
  writeFileSync(join(store, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  t.equal(run(tsc, ['-p', '.'], store), '');
});

const nodes = [process.execPath, nodeOfVersion(20)];
for (const [index, node] of nodes.entries()) {
  const name = index === 0 ? 'this Node' : 'Node 20';
  t.test(
    `${name} runs the examples against the service`,
    { skip: !node && 'no Node 20 on PATH' },
    async (t) => {
      const [system, receiver] = [await startSystem(), await startReceiver()];
      t.teardown(async () => {
        await receiver.close();
        await system.stop();
      });
      const { id, token } = await system.createStore();
      const env = { PAYMENTS_URL: system.url, PAYMENTS_TOKEN: token, WEBHOOK_URL: receiver.url };
      const charging = runProgram(node!, 'charge', env);
      const { body } = await receiver.waitFor((request) => request.body.includes('payment.created'));
      const payment = JSON.parse(body);
      await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
      t.match(await charging, /^show http.*\/qr\/\S+\.png 000201.*\ndeliver\n\S+ 19\.9\n$/s);

      const paid = await receiver.waitFor((request) => request.body.includes('status_changed'));
      const { secret } = (await system.admin(`/admin/stores/${id}/webhook-secret`)).body;
      writeFileSync(join(store, 'webhook.json'), JSON.stringify(paid));
      const received = await runProgram(node!, 'received', { WEBHOOK_SECRET: secret });
      t.match(received, /^deliver the order of payment \S+, unless \S+ is known already\n200\n401\n$/);

      const feed = { ...env, CURSOR_FILE: join(t.testdir({}), 'cursor') };
      const told = await eventually('both events in the feed', async () => {
        const { items } = (await system.api('/api-public/events', { token })).body;
        return items.length === 2 ? (items as { id: string; type: string; paymentId: string }[]) : undefined;
      });
      const lines = told.map((event) => {
        const { type, paymentId } = event;
        return `handle ${type} of payment ${paymentId}, unless ${event.id} is known already\n`;
      });
      t.equal(await runProgram(node!, 'follow', feed), lines.join(''));
      t.equal(await runProgram(node!, 'follow', feed), '', 'the place was kept');

      await system.admin(`/admin/payments/${payment.id}/status`, { body: { status: 'paid' } });
      const again = await runProgram(node!, 'charge', env);
      t.match(again, /^show http.*\ndeliver\n$/s, 'a restart finds the same payment, whose payout has begun');
    },
  );
}

/** Runs one of the store's programs, without blocking the system in this process. */
async function runProgram(node: string, program: string, env: Record<string, string>): Promise<string> {
  const child = spawn(node, [join(store, 'dist', `${program}.js`)], {
    env: { PATH: process.env.PATH, ...env },
  });
  const ended = once(child, 'close');
  const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
  await ended;
  return output;
}

/** Resolution before `exports` (Node 10) does not find subpaths, and no Node that we support resolves so. */
function isOfEsModules(problem: Problem): boolean {
  return (
    problem.kind === 'CJSResolvesToESM' ||
    ('resolutionKind' in problem && problem.resolutionKind === 'node10')
  );
}

function nodeOfVersion(major: number): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, 'node'));
  return places.find(
    (place) =>
      existsSync(place) &&
      spawnSync(place, ['--version'], { encoding: 'utf8' }).stdout.startsWith(`v${major}.`),
  );
}
