import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startReceiver } from '@payments/testing/receiver';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { packClient, root, run } from './packed-client.ts';

/** The packed client in a new project of Deno and of Bun, which run the docs' TypeScript as it is. */
const docs = join(root, 'services/api/docs/client');
const folder = t.testdir({ package: {}, store: {} });
const store = join(folder, 'store');
const { tarball } = packClient(join(folder, 'package'));
writeFileSync(join(store, 'package.json'), JSON.stringify({ name: 'store', private: true, type: 'module' }));
run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], store);
cpSync(docs, store, { recursive: true });
writeFileSync(
  join(store, 'received.ts'),
  `import { POST } from './receive.ts';
const { headers, body } = JSON.parse(process.env.WEBHOOK ?? '');
for (const one of [body, body + ' '])
  console.log((await POST(new Request('http://store', { method: 'POST', headers, body: one }))).status);
`,
);

const runtimes = [
  { name: 'Deno', package: 'deno@2.9.6', command: ['deno', 'run', '--allow-net', '--allow-env'] },
  { name: 'Bun', package: 'bun@1.4.5', command: ['bun', 'run'] },
];
for (const { name, package: wanted, command } of runtimes) {
  const runtime = join(folder, name);
  const installed = spawnSync('npm', ['install', '--prefix', runtime, '--no-audit', '--no-fund', wanted], {
    encoding: 'utf8',
  });
  const skip = installed.status !== 0 && `${wanted} can’t be had from npm`;
  t.test(name, { skip }, async (t) => {
    const [system, receiver] = [await startSystem(), await startReceiver()];
    t.teardown(async () => {
      await receiver.close();
      await system.stop();
    });
    const { id, token } = await system.createStore();
    const [program = '', ...args] = command;
    const start = async (file: string, env: Record<string, string>) => {
      const child = spawn(join(runtime, 'node_modules/.bin', program), [...args, file], {
        cwd: store,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      });
      const [out, errors, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      t.equal(status, 0, errors);
      return out;
    };
    const charging = start('charge.ts', {
      PAYMENTS_URL: system.url,
      PAYMENTS_TOKEN: token,
      WEBHOOK_URL: receiver.url,
    });
    const { body } = await receiver.waitFor((request) => request.body.includes('payment.created'));
    await system.bank('/bank/pay', { pixCopiaECola: JSON.parse(body).qrCopyPaste });
    t.match(await charging, /^show http.*\/qr\/\S+\.png 000201.*\ndeliver\n\S+ 19\.9\n$/s);

    const paid = await receiver.waitFor((request) => request.body.includes('status_changed'));
    const { secret } = (await system.admin(`/admin/stores/${id}/webhook-secret`)).body;
    const received = await start('received.ts', { WEBHOOK: JSON.stringify(paid), WEBHOOK_SECRET: secret });
    t.match(received, /^deliver the order of payment \S+, unless \S+ is known already\n200\n401\n$/);
  });
}
