import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@payments/local-servers/free-port';
import { patienceMs } from '@payments/testing/patience';
import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { exampleShops, shopEnvironment } from '../src/example-shops.ts';
import { root } from '../src/repository.ts';

/** Each example shop takes a payment, and fulfils its order once though the webhook comes twice. */
const system = await startSystem();
t.teardown(system.stop);
const { id, token } = await system.createStore();
const { secret } = (await system.admin(`/admin/stores/${id}/webhook-secret`)).body;

// The system's own Python is the one to which a package manager adds Flask.
const pythons = ['python3', '/usr/bin/python3'];
const python = pythons.find((one) => spawnSync(one, ['-c', 'import flask']).status === 0);
const skips: Record<string, string | false> = {
  flask: !python && 'no Python with Flask on this machine',
  php: spawnSync('php', ['--version']).status !== 0 && 'no PHP on this machine',
};

for (const [name, command] of Object.entries(exampleShops)) {
  t.test(name, { skip: skips[name] ?? false }, async (t) => {
    const port = await freePort();
    const [program, ...args] = command(port);
    const env = shopEnvironment({ apiUrl: system.url, token, secret, port });
    const shop = runShop(t, name === 'flask' ? (python ?? '') : program, args, {
      ...env,
      SHOP_FILE: join(t.testdir({}), 'shop.json'),
    });
    await shop.line(/^shop at|Running on|Development Server .* started/);

    t.match(await (await fetch(env.SHOP_URL)).text(), '<form method="post" action="/orders">');
    const ordered = await fetch(`${env.SHOP_URL}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    t.match(ordered.url, /\/orders\/[\w-]+$/);
    const page = await ordered.text();
    const pixCopiaECola = page.match(/<code>([^<]+)/)?.[1];
    t.match(page, /<img src=["']http[^"']+\/qr\/[^"']+\.png["']/);

    const forged = await fetch(`${env.SHOP_URL}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"event":"payment.status_changed","status":"approved"}',
    });
    t.equal(forged.status, 401, 'refuses a forged webhook');

    t.equal((await system.bank('/bank/pay', { pixCopiaECola })).status, 201);
    const orderId = ordered.url.split('/').at(-1);
    await shop.line(new RegExp(`^fulfilled order ${orderId}`));
    const { body: payments } = await system.api('/api-public/payments?limit=1', { token });
    const delivered = await eventually(10_000, 'the webhook to be delivered', async () => {
      const path = `/admin/deliveries?state=delivered&paymentId=${payments.items[0].id}`;
      const items: { id: string; event: string; eventId: string }[] = (await system.admin(path)).body.items;
      return items.find(({ event }) => event === 'payment.status_changed');
    });
    const again = await system.admin(`/admin/deliveries/${delivered.id}/redeliver`, { method: 'POST' });
    t.equal(again.status, 202);
    await shop.line(new RegExp(`^known webhook ${delivered.eventId}`));
    t.equal(shop.lines.filter((line) => line.startsWith('fulfilled order')).length, 1, 'once');
    t.match(await (await fetch(ordered.url)).text(), 'Pago.');
  });
}

t.test('each is short, and its README names it', (t) => {
  const folder = join(root, 'scripts/examples');
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  const files = readdirSync(folder).filter((file) => file !== 'README.md');
  t.equal(files.length, Object.keys(exampleShops).length);
  for (const file of files) {
    t.ok(text(file).split('\n').length < 200, file);
    t.match(text('README.md'), `](${file})`);
  }
  t.end();
});

function runShop(t: Test, program: string, args: string[], env: Record<string, string>) {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env } });
  const lines: string[] = [];
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      lines.push(line);
      child.emit('line');
    });
  }
  const exited = once(child, 'close');
  t.teardown(async () => {
    child.kill();
    await exited;
  });
  const line = async (pattern: RegExp): Promise<void> => {
    while (!lines.some((one) => pattern.test(one))) {
      await once(child, 'line', { signal: AbortSignal.timeout(patienceMs) }).catch(() => {
        throw new Error(`no line ${pattern} in:\n${lines.join('\n')}`);
      });
    }
  };
  return { lines, line };
}
