import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { patienceMs } from '@payments/testing/patience';
import { startSystem } from '@payments/testing/system';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { root } from '../src/repository.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Runs the command; `line` waits for a printed line. */
function run(t: Test, args: string[], env: Record<string, string> = {}) {
  const script = join(root, 'scripts/src/webhooks-listen.ts');
  const child = spawn(process.execPath, ['--conditions=public-payments', script, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const output of [child.stdout, child.stderr]) {
    createInterface(output).on('line', (line) => {
      lines.push(line);
      child.emit('line');
    });
  }
  const exited = once(child, 'close').then(([code]) => code as number);
  t.teardown(async () => {
    child.kill();
    await exited;
  });
  const line = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.find((one) => pattern.test(one));
      if (found) return found;
      await once(child, 'line', { signal: AbortSignal.timeout(patienceMs) });
    }
  };
  const url = async () => /http:\S+\/webhook/.exec(await line(/Listening/))?.[0] ?? '';
  return { child, lines, line, url, exited };
}

const payment = { id: 'payment-1', status: 'approved', previousStatus: 'pending', amount: 1234.5 };
const webhook = JSON.stringify({ event: 'payment.status_changed', ...payment });

/**
 * Sends a webhook like the service.
 * @returns the response's status
 */
async function send(url: string, { id = 'event-1', body = webhook, key = secret } = {}): Promise<number> {
  const now = new Date();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign(id, now, body),
  };
  const { status } = await fetch(url, { method: 'POST', headers, body });
  return status;
}

t.test('verifies and prints webhooks, and marks repeats', async (t) => {
  const listener = run(t, ['--port', '0', '--secret', secret, '--body']);
  const url = await listener.url();
  t.equal(await send(url), 200);
  const line = await listener.line(/payment\.status_changed/);
  t.match(
    line,
    /pending → approved {2}R\$\s1\.234,50 {2}payment payment-1 {2}webhook-id event-1 {2}verified; answered 200/,
  );
  await listener.line(/previousStatus: 'pending'/);
  t.equal(await send(url), 200);
  await listener.line(/the same again: 2/);

  t.equal(await send(url, { key: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }), 401);
  await listener.line(/NOT VERIFIED: no signature is the service’s/);
  t.equal((await fetch(url)).status, 405);
  t.equal(
    (await fetch(url, { method: 'POST', body: 'x'.repeat(2_000_000) }).catch(() => ({ status: 405 }))).status,
    405,
  );
  listener.child.kill('SIGINT');
  t.equal(await listener.exited, 0);
});

t.test('fails the first webhooks, then responds as configured, with a delay', async (t) => {
  const listener = run(t, ['--port=0', '--status=202', '--delay=300ms', '--fail-first=2'], {
    WEBHOOK_SECRET: secret,
  });
  const url = await listener.url();
  const since = Date.now();
  t.same([await send(url), await send(url), await send(url, { id: 'event-2' })], [500, 500, 202]);
  t.ok(Date.now() - since >= 900);
  await listener.line(/event-2 {2}verified; answered 202 after 0.3 s/);
});

t.test('a wrong option is one line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-listen-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const cases: [string[], RegExp][] = [
    [['--port', 'http'], /^--port must be a whole number from 0 to 65535, not http$/],
    [['--status', '42'], /^--status must be a whole number from 200 to 599, not 42$/],
    [['--delay', 'long'], /^--delay must be a time such as 500ms, 3s or 2m, not long$/],
    [['--secret', ''], /^a webhook secret is whsec_ followed by the base64 of 24 to 64 bytes$/],
    [['--secret', 'pp_token'], /^a webhook secret is whsec_ followed by the base64 of 24 to 64 bytes$/],
    [['--nonsense'], /^Unknown option '--nonsense'.*--help tells the options/],
    [[], /^there is no demo store in .*: run npm start in another terminal first, or give a store’s secret/],
  ];
  for (const [args, message] of cases) {
    const listener = run(t, args, { DATA_DIR: folder });
    t.equal(await listener.exited, 1);
    t.equal(listener.lines.length, 1, listener.lines.join('\n'));
    t.match(listener.lines[0], message);
  }
  writeFileSync(join(folder, 'demo-store.json'), JSON.stringify({ storeId: 'store', token: 'token' }));
  const alone = run(t, [], { DATA_DIR: folder, ADMIN_PORT: '9' });
  t.equal(await alone.exited, 1);
  t.match(alone.lines, [/^nothing answers at http:\/\/localhost:9: run npm start/]);
  const help = run(t, ['--help']);
  t.equal(await help.exited, 0);
  t.match(help.lines.join('\n'), /--fail-first/);
});

t.test('a port in use is one line, too', async (t) => {
  const first = run(t, ['--port', '0', '--secret', secret]);
  const port = new URL(await first.url()).port;
  const second = run(t, ['--port', port, '--secret', secret]);
  t.equal(await second.exited, 1);
  t.same(second.lines, [`port ${port} is taken: give another with --port`]);
});

t.test('with a running service it uses the demo store’s secret and receives webhooks', async (t) => {
  const system = await startSystem();
  t.teardown(system.stop);
  const { id: storeId, token } = await system.createStore();
  const folder = mkdtempSync(join(tmpdir(), 'payments-listen-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'demo-store.json'), JSON.stringify({ storeId, token }));
  const listener = run(t, ['--port', '0'], {
    DATA_DIR: folder,
    API_PORT: new URL(system.url).port,
    ADMIN_PORT: new URL(system.adminUrl).port,
    ADMIN_KEY: system.env.ADMIN_KEY ?? '',
  });
  const webhookUrl = await listener.url();
  t.match(
    await listener.line(/curl/),
    new RegExp(`${system.url.replace('127.0.0.1', 'localhost')}.*${token}`),
  );
  const { body } = await system.api('/api-public/payments', { token, body: { amount: 7, webhookUrl } });
  const line = await listener.line(/payment\.created/);
  t.match(line, new RegExp(`pending  R\\$\\s7,00  payment ${body.id} .* verified; answered 200`));
});
