import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findExecutable } from '@payments/local-servers/executable';
import { freePort } from '@payments/local-servers/free-port';
import { isRunning } from '@payments/local-servers/is-running';
import { natsProgram } from '@payments/local-servers/nats-program';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../../services/api/test/administration/panel-client.ts';
import { readmeLines } from './fixtures/readme.ts';
import {
  freePortWithNext,
  ownPlaces,
  printedLines,
  runScript,
  startSystem,
} from './fixtures/running-system.ts';

const missing = await natsProgram().then(
  () => false as const,
  (error: Error) => error.message,
);
const answers = (port: string | undefined) =>
  fetch(`http://127.0.0.1:${port}/health/live`).then(
    () => true,
    () => false,
  );

t.test('the whole flow, from npm start to Ctrl-C', { skip: missing }, async (t) => {
  const env = await ownPlaces(t.testdir());
  const system = await startSystem(env);
  t.teardown(() => system.kill('SIGKILL'));

  await t.test(
    'the printed lines work unchanged',
    { skip: !findExecutable('curl') && 'no curl' },
    async (t) => {
      const { status, stdout, stderr } = spawnSync('bash', ['-e'], {
        input: printedLines(system.output),
        encoding: 'utf8',
      });
      t.equal(stderr, '');
      t.equal(status, 0);
      const [created, shown, listed, paid, read] = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      t.match(created, { status: 'pending', amount: 19.9, qrCopyPaste: /^000201/ });
      t.match(shown, { id: created.id, status: 'pending' });
      t.match(listed, { items: [{ id: created.id }], total: 1 });
      t.match(paid, { valor: '19.90', endToEndId: /^E/ });
      t.match(read, { id: created.id, status: 'approved' });
    },
  );

  await t.test('the README’s lines work unchanged', { skip: !findExecutable('curl') && 'no curl' }, (t) => {
    const at = (text: string, port: number, own: string) =>
      text.replaceAll(`http://localhost:${port}`, `http://localhost:${env[own]}`);
    const lines = at(at(readmeLines('For developers of stores'), 3000, 'API_PORT'), 3003, 'SIMULATOR_PORT');
    const TOKEN = /token=(\S+)/.exec(system.output)?.[1];
    const { status, stdout, stderr } = spawnSync('bash', ['-e'], {
      input: lines,
      encoding: 'utf8',
      env: { ...process.env, TOKEN },
    });
    t.equal(stderr, '');
    t.equal(status, 0);
    t.match(stdout, /"endToEndId":"E.*"status":"approved"/s);
    t.end();
  });

  await t.test('the docs page offers the demo store’s token', async (t) => {
    const page = await (await fetch(`http://localhost:${env.API_PORT}/docs`)).text();
    t.match(page, `value="${/token=(\S+)/.exec(system.output)?.[1]}"`);
  });

  await t.test('the demo succeeds', async (t) => {
    const { code, output } = await runScript('demo.ts', env);
    t.equal(code, 0, output);
    t.match(
      output,
      /payment\.created.*the signature is right.*payment\.status_changed.*the signature is right/s,
    );
    t.match(output, /▀▀▀▀▀.*status: 'approved'.*The payment is approved/s);
    t.match(output, /em análise: decida até .*Decidir agora:/s);
    t.match(system.output, `Mailbox     http://localhost:${env.MAILBOX_PORT} `);
    const decide = ['operator@demo.local', 'owner@demo.local', 'store-admin@demo.local'];
    // The demo ends with the first of them.
    const told = await eventually('a mail to each who decides', async () => {
      const answer = await fetch(`http://localhost:${env.MAILBOX_PORT}/messages`);
      const mails = (await answer.json()) as { to: string; subject: string }[];
      const ofReview = mails.filter(({ subject }) => /^Pagamento de R\$ 15,00 em análise/.test(subject));
      return ofReview.length >= decide.length ? ofReview : undefined;
    });
    t.same(told.map(({ to }) => to).sort(), decide, 'those who decide it, and nobody else');
  });

  await t.test('a test store pays at a bank of its own, without any setting', async (t) => {
    const call = async (port: string, path: string, token: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`http://localhost:${env[port]}${path}`, { headers, ...init });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    };
    const admin = (path: string, body: object) => call('ADMIN_PORT', path, 'dev-admin-key', body);
    const { body: store } = await admin('/admin/stores', { name: 'Testes', test: true });
    const { token = '' } = (await admin(`/admin/stores/${store.id}/tokens`, {})).body;
    t.match(token, /^pp_test_/);
    const { body: payment } = await call('API_PORT', '/api-public/payments', token, { amount: 10 });
    t.match(payment.qrCopyPaste, /^000201/);
    const path = `/api-public/payments/${payment.id}`;
    t.equal((await call('API_PORT', `${path}/test`, token, { do: 'pay' })).status, 202);
    while ((await call('API_PORT', path, token)).body.status !== 'approved') await delay(100);
    const total = await call('ADMIN_PORT', '/admin/payments', 'dev-admin-key');
    t.notMatch(JSON.stringify(total.body), payment.id);
  });

  await t.test('another start names what is in use', async (t) => {
    t.match(await runScript('start.ts', env), { code: 1, output: `port ${env.API_PORT} is taken` });
    const elsewhere = { ...(await ownPlaces('')), DATA_DIR: env.DATA_DIR };
    t.match(await runScript('start.ts', elsewhere), { code: 1, output: 'is in use by another npm start' });
  });

  await t.test('localhost and 127.0.0.1 both reach it', async (t) => {
    for (const host of ['localhost', '127.0.0.1']) {
      t.equal((await fetch(`http://${host}:${env.API_PORT}/health/ready`)).status, 200, host);
    }
  });

  await t.test('Ctrl-C, pressed twice, ends everything in order', async (t) => {
    system.kill('SIGINT');
    system.kill('SIGINT');
    t.match(await system.ended, { code: 0, output: /stopping …\n(.*\n)*stopped\n$/ });
    t.notOk(existsSync(join(env.DATA_DIR!, 'postgres/data/postmaster.pid')), 'PostgreSQL was shut down');
    t.notOk(await answers(env.API_PORT));
  });

  await t.test(
    'the next start finds the store and its payments; a killed one leaves no process behind',
    async (t) => {
      const again = await startSystem(env);
      t.teardown(() => again.kill('SIGKILL'));
      const token = /token=(\S+)/.exec(again.output)?.[1];
      t.equal(token, /token=(\S+)/.exec(system.output)?.[1]);
      const url = `http://localhost:${env.API_PORT}/api-public/payments`;
      const list = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      const { items } = (await list.json()) as { items: { status: string }[] };
      t.ok(items.length > 0 && items.every(({ status }) => status === 'approved'));

      const accounts = (output: string) => output.match(/\S+@demo\.local +password \S+/g) ?? [];
      t.equal(accounts(again.output).length, 6);
      t.strictSame(accounts(again.output), accounts(system.output));
      for (const line of accounts(again.output)) {
        const [email = '', , password = ''] = line.split(/ +/);
        const person = panelClient(`http://localhost:${env.ADMIN_PORT}`);
        t.equal((await person.signInAs(email, password)).headers.get('location'), '/panel', email);
      }

      const keeper = Number.parseInt(readFileSync(join(env.DATA_DIR!, 'in-use-by'), 'utf8'), 10);
      again.kill('SIGKILL');
      while (isRunning(keeper)) await delay(50);
      for (const port of ['API_PORT', 'DISPATCHER_PORT', 'SIMULATOR_PORT', 'MAILBOX_PORT'])
        t.notOk(await answers(env[port]), port);
    },
  );
});

t.test('the panel and the metrics at ports of their own', { skip: missing }, async (t) => {
  const [PANEL_PORT, METRICS_PORT] = [String(await freePort()), String(await freePort())];
  const env = await ownPlaces(t.testdir());
  const system = await startSystem({ ...env, PANEL_PORT, METRICS_PORT });
  t.teardown(() => system.kill('SIGKILL'));
  t.match(system.output, `Panel       http://localhost:${PANEL_PORT} `);
  const statuses = async (path: string) =>
    Promise.all(
      [PANEL_PORT, METRICS_PORT, env.ADMIN_PORT].map(
        async (port) => (await fetch(`http://localhost:${port}${path}`)).status,
      ),
    );
  t.strictSame(await statuses('/panel/sign-in'), [200, 404, 404]);
  t.strictSame(await statuses('/metrics'), [404, 200, 404]);
  t.strictSame(await statuses('/admin/stores'), [404, 404, 401]);
  system.kill('SIGINT');
  t.match(await system.ended, { code: 0 });
});

t.test('two banks: one fails, and sales go on at the other', { skip: missing }, async (t) => {
  const env = await ownPlaces(t.testdir());
  env.SIMULATOR_PORT = String(await freePortWithNext());
  const system = await startSystem(env, ['--banks', 'efi,bb']);
  t.teardown(() => system.kill('SIGKILL'));
  const { code, output } = await runScript('demo.ts', env);
  t.equal(code, 0, output);
  t.match(output, /The payment is approved/);
  const faults = `http://localhost:${env.SIMULATOR_PORT}/bank/faults`;
  t.match(system.output, `curl -s ${faults}`);
  const headers = { 'content-type': 'application/json' };
  await fetch(faults, { method: 'POST', headers, body: '{"hang": true}' });
  const other = await runScript('demo.ts', env);
  t.equal(other.code, 0, other.output);
  t.match(other.output, /The payment is approved/);
  const logs = join(env.DATA_DIR!, 'logs');
  t.ok(existsSync(join(logs, 'simulator-efi.log')) && existsSync(join(logs, 'simulator-bb.log')));
  const { status, stdout } = spawnSync('bash', ['-e'], {
    input: printedLines(system.output),
    encoding: 'utf8',
  });
  t.equal(status, 0);
  t.match(stdout, /"endToEndId":"E.*"status":"approved"/s);
  system.kill('SIGINT');
  t.match(await system.ended, { code: 0 });
});

t.test('a setting that a service refuses is one line, and no process stays', { skip: missing }, async (t) => {
  const env = await ownPlaces(t.testdir());
  const { code, output } = await runScript('start.ts', { ...env, CHARGE_EXPIRES_IN_SECONDS: 'soon' });
  t.equal(code, 1);
  t.match(output, /^not started: .*CHARGE_EXPIRES_IN_SECONDS.*\n$/m);
  t.notOk(await answers(env.SIMULATOR_PORT));
});

t.test('the demo without a running system is one line', async (t) => {
  const env = await ownPlaces(t.testdir());
  t.same(await runScript('demo.ts', env), {
    code: 1,
    output: `nothing answers at http://localhost:${env.API_PORT}: run npm start in another terminal first\n`,
  });
});

const isLinux = process.platform === 'linux';
t.test('every killed part is restarted, and then ends in order', { skip: missing || !isLinux }, async (t) => {
  const env = await ownPlaces(t.testdir());
  const system = await startSystem(env);
  t.teardown(() => system.kill('SIGKILL'));
  const isReady = (port: string) =>
    fetch(`http://127.0.0.1:${env[port]}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  const services = { api: 'API_PORT', dispatcher: 'DISPATCHER_PORT' };
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const [service, port] of Object.entries(services)) {
      const gone = system.pidOf(`services/${service}/src/main.ts`);
      process.kill(gone, signal);
      while (isRunning(gone)) await delay(50);
      while (!(await isReady(port))) await delay(50);
      t.not(system.pidOf(`services/${service}/src/main.ts`), gone, `${service} after ${signal}`);
    }
  }
  system.kill('SIGINT');
  t.match(await system.ended, { code: 0 });
});
