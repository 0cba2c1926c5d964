import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@payments/local-servers/free-port';
import { patienceMs } from '@payments/testing/patience';
import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { allowRefunds, exampleShops, shopEnvironment } from '../src/example-shops.ts';
import { root } from '../src/repository.ts';

/**
 * Each example shop takes a payment, fulfils its order once though the webhook comes twice, refunds it, and learns from
 * the feed what happened while it was down, whatever became of an approved payment since.
 */
// No webhook is tried again meanwhile, so that what a shop learns after its start is the feed's.
const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '86400' } });
t.teardown(system.stop);

// The system's own Python is the one to which a package manager adds Flask.
const pythons = ['python3', '/usr/bin/python3'];
const python = pythons.find((one) => spawnSync(one, ['-c', 'import flask']).status === 0);
const skips: Record<string, string | false> = {
  flask: !python && 'no Python with Flask on this machine',
  php: spawnSync('php', ['--version']).status !== 0 && 'no PHP on this machine',
};

for (const [name, command] of Object.entries(exampleShops)) {
  t.test(name, { skip: skips[name] ?? false }, async (t) => {
    const store = await system.createStore();
    const { id, token } = store;
    await allowRefunds(system.adminUrl, system.env.ADMIN_KEY ?? '', id);
    const { secret } = (await system.admin(`/admin/stores/${id}/webhook-secret`)).body;
    const port = await freePort();
    const [program, ...args] = command(port);
    const file = join(t.testdir({}), 'shop.json');
    const env = shopEnvironment({ apiUrl: system.url, token, secret, port, file });
    const start = async () => {
      const shop = runShop(t, name === 'flask' ? (python ?? '') : program, args, env);
      await shop.line(/^shop at|Running on|Development Server .* started/);
      return shop;
    };
    const order = async () => {
      const answer = await post(`${env.SHOP_URL}/orders`);
      t.match(answer.url, /\/orders\/[\w-]+$/);
      const page = await answer.text();
      t.match(page, /<img src=["']http[^"']+\/qr\/[^"']+\.png["']/);
      const [payment] = (await system.api('/api-public/payments?limit=1', { token })).body.items;
      const pay = async () => {
        const pixCopiaECola = page.match(/<code>([^<]+)/)?.[1];
        t.equal((await system.bank('/bank/pay', { pixCopiaECola })).status, 201);
      };
      return { page: answer.url, id: answer.url.split('/').at(-1), payment: payment!, pay };
    };
    /** @returns the webhook of the newest status, once it is in this state with an attempt made */
    const webhookOf = (payment: { id: string }, state: string) =>
      eventually(`a webhook that is ${state}`, async () => {
        const path = `/admin/deliveries?state=${state}&paymentId=${payment.id}`;
        const items: Delivery[] = (await system.admin(path)).body.items;
        return items.find(({ event, attempts }) => event === 'payment.status_changed' && attempts > 0);
      });
    const shows = (page: string, text: string) =>
      eventually(`a page that says ${text}`, async () =>
        (await (await fetch(page)).text()).includes(text) ? true : undefined,
      );
    const shop = await start();

    t.match(await (await fetch(env.SHOP_URL)).text(), '<form method="post" action="/orders">');
    const first = await order();
    const forged = await fetch(`${env.SHOP_URL}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"event":"payment.status_changed","status":"approved"}',
    });
    t.equal(forged.status, 401, 'refuses a forged webhook');
    t.equal((await post(`${first.page}/refund`)).status, 404, 'refunds nothing that is not paid');

    await first.pay();
    await shop.line(new RegExp(`^fulfilled order ${first.id}`));
    const delivered = await webhookOf(first.payment, 'delivered');
    const again = await system.admin(`/admin/deliveries/${delivered.id}/redeliver`, { method: 'POST' });
    t.equal(again.status, 202);
    await shop.line(new RegExp(`^known event ${delivered.eventId}`));
    t.equal(shop.lines.filter((line) => line.startsWith('fulfilled order')).length, 1, 'once');
    await shows(first.page, 'Pago.');

    // The page that follows says that the refund is ordered, or made already.
    t.match(await (await post(`${first.page}/refund`)).text(), /Devol(ução em andamento|vido)/);
    await shows(first.page, 'Devolvido.');
    const { status, refunds } = (await system.admin(`/admin/payments/${first.payment.id}`)).body;
    t.match([status, refunds], ['not_approved', [{ amount: 19.9, state: 'refunded' }]]);

    const second = await order();
    const movedOn = [];
    for (const status of afterApproval.keys()) movedOn.push({ ...(await order()), status });
    await shop.kill();
    await second.pay();
    const missed = await webhookOf(second.payment, 'pending');
    for (const { payment, pay, status } of movedOn) {
      await pay();
      await system.waitForStatus(store, payment.id, 'approved');
      for (const to of afterApproval.get(status) ?? [])
        t.match(await system.admin(`/admin/payments/${payment.id}/status`, { body: { status: to } }), {
          status: 200,
        });
    }
    const restarted = await start();
    for (const { page } of [second, ...movedOn]) await shows(page, 'Pago.');
    t.match(await webhookOf(second.payment, 'pending'), { id: missed.id, attempts: 1 }, 'no webhook told it');
    t.strictSame(
      restarted.lines.filter((line) => line.startsWith('fulfilled order')).sort(),
      [second, ...movedOn].map(({ id }) => `fulfilled order ${id}`).sort(),
    );
    await shows(first.page, 'Devolvido.');
    // Webhooks that come later would be written into a folder that is being removed.
    await restarted.kill();
  });
}

const payout = ['paid', 'withdrawal_processing'];
/** The statuses that follow `approved`, with the moves that lead there. */
const afterApproval = new Map([
  ['paid', ['paid']],
  ['withdrawal_processing', payout],
  ['receipt_sent', [...payout, 'receipt_sent']],
  ['rejected', [...payout, 'rejected']],
]);

type Delivery = { id: string; event: string; eventId: string; attempts: number };

const post = (url: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } });

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
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  t.teardown(kill);
  const line = async (pattern: RegExp): Promise<void> => {
    while (!lines.some((one) => pattern.test(one))) {
      await once(child, 'line', { signal: AbortSignal.timeout(patienceMs) }).catch(() => {
        throw new Error(`no line ${pattern} in:\n${lines.join('\n')}`);
      });
    }
  };
  return { lines, line, kill };
}
