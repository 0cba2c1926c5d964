import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createPixClient } from '@payments/pix/client';
import t from 'tap';
import { KEY, startBank, type Teardown, TXID } from './bank-under-test.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

/** The simulator as a process of its own; resolves with its address when its log says that it listens. */
async function start(t: Teardown, env: NodeJS.ProcessEnv) {
  const child = run(t, env);
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /http:\/\/[\d.]+:\d+/.exec(JSON.parse(line).msg)?.[0];
    if (url) return { child, url };
  }
  throw new Error('the simulator ended without listening');
}

function run(t: Teardown, env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, ['--conditions=public-payments', MAIN], {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

t.test('killed at any moment, a restarted bank has what it answered for', async (t) => {
  const env = {
    DATA_FILE: join(t.testdir(), 'bank.jsonl'),
    PIX_CLIENT_ID: 'loja',
    PIX_CLIENT_SECRET: 'segredo',
    PIX_KEY: KEY,
  };
  const first = await start(t, env);
  const access = { clientId: 'loja', clientSecret: 'segredo', key: KEY };
  const client = createPixClient({ url: first.url, ...access });
  t.teardown(() => client.close());
  const charge = await client.putCharge(TXID, { amount: 1000, expiresInSeconds: 60 });
  await client.registerCallback('http://127.0.0.1:1/callback');
  const paid = await fetch(`${first.url}/bank/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pixCopiaECola: charge.copyAndPaste }),
  });
  t.equal(paid.status, 201);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const second = await start(t, env);
  const later = createPixClient({ url: second.url, ...access });
  t.teardown(() => later.close());
  const kept = await later.getCharge(TXID);
  const { endToEndId } = (await paid.json()) as { endToEndId: string };
  t.match(kept, { status: 'CONCLUIDA', pix: [{ endToEndId }] });
  t.equal(await later.getCallback(), 'http://127.0.0.1:1/callback');
});

t.test('a bank forgets charges that ended more than DATA_DAYS ago: 180 without the setting', async (t) => {
  const folder = t.testdir();
  const env = { DATA_FILE: join(folder, 'bank.jsonl') };
  const old = await startBank(t, { dataFile: env.DATA_FILE, now: () => Date.now() - 200 * 86_400_000 });
  await old.charge();
  await old.app.close();
  for (const [more, known] of [
    [{ DATA_DAYS: '201' }, [TXID]],
    [{}, []],
  ] as const) {
    const { child, url } = await start(t, { ...env, ...more });
    const { charges } = (await (await fetch(`${url}/bank/charges`)).json()) as {
      charges: { txid: string }[];
    };
    t.same(
      charges.map(({ txid }) => txid),
      known,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

t.test('SIGTERM and SIGINT end it cleanly', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child } = await start(t, {});
    child.kill(signal);
    t.same(await once(child, 'exit'), [0, null], signal);
  }
});

t.test('a bad setting stops the start with one line that names it', async (t) => {
  for (const [env, named] of [
    [{ PORT: 'many' }, /"configuration: PORT /],
    [{ LOG_LEVEL: 'loud' }, /"configuration: LOG_LEVEL /],
    [{ DATA_DAYS: '0' }, /"configuration: DATA_DAYS /],
    [{ TLS_CERT_FILE: '/nowhere/cert.pem', TLS_KEY_FILE: '/nowhere/key.pem' }, /nowhere/],
  ] as const) {
    const child = run(t, env);
    const said = Buffer.concat(await child.stderr!.toArray()).toString();
    t.match(said, named);
    t.equal(said.trim().split('\n').length, 1);
    if (child.exitCode === null) await once(child, 'exit');
    t.equal(child.exitCode, 1);
  }
});
