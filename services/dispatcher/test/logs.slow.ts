import { fileURLToPath } from 'node:url';
import { startProcessSystem } from '@payments/testing/process-system';
import { startProcess } from '@payments/testing/processes';
import { startReceiver } from '@payments/testing/receiver';
import { eventually } from '@payments/testing/system';
import pg from 'pg';
import t from 'tap';

/** Every line that both services write is JSON without secrets or personal data, in all kinds of failure. */
const mainOf = (service: string) => fileURLToPath(new URL(`../../${service}/src/main.ts`, import.meta.url));
const hidden = {
  email: 'payer.secret@personal.example',
  observation: 'two-blue-shirts-for-Maria',
  query: 'key-in-a-webhook-url',
  pixSecret: 'pix-client-secret-1',
  adminKey: 'an-admin-key-nobody-knows',
  password: 'database-password-1',
};

type Asserting = Pick<typeof t, 'ok' | 'match' | 'fail'>;

function assertClean(t: Asserting, lines: readonly string[], more: readonly string[] = []) {
  t.ok(lines.length > 0);
  for (const line of lines) {
    const entry = JSON.parse(line);
    t.match(entry, { level: /^(trace|debug|info|warn|error|fatal)$/, time: String, msg: String });
    t.match(entry.service, /^(api|dispatcher)$/);
    for (const secret of [...Object.values(hidden), ...more])
      if (line.includes(secret)) t.fail(`a secret in ${entry.msg}`);
  }
}

t.jobs = 2;

t.test('a day with every kind of failure', { buffered: true }, async (t) => {
  const system = await startProcessSystem({
    env: {
      LOG_LEVEL: 'trace',
      ADMIN_KEY: hidden.adminKey,
      WEBHOOK_RETRY_SECONDS: '0.1,0.1',
      WEBHOOK_TIMEOUT_MS: '10000',
    },
    adminKey: hidden.adminKey,
  });
  t.teardown(system.stop);
  const receiver = await startReceiver({ answer: () => ({ status: 500, body: hidden.observation }) });
  t.teardown(receiver.close);
  const store = await system.createStore();
  const { body: webhooks } = await system.admin(`/admin/stores/${store.id}/webhook-secret`);
  const personal = { email: hidden.email, observation: hidden.observation };
  const charge = async (fields: Record<string, unknown> = {}, token = store.token) =>
    (await system.call('/api-public/payments', { token, body: { amount: 10, ...personal, ...fields } })).body;

  const payment = await charge({ webhookUrl: `${receiver.url}?${hidden.query}` });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
  await receiver.waitForCount(2);
  await charge({ webhookUrl: `http://user:${hidden.password}@127.0.0.1:1/` });
  await charge({ amount: 'ten' });
  await charge({}, `${store.token}x`);
  await system.call('/api-public/payments', {
    token: store.token,
    body: `{"observation": "${hidden.observation}`,
  });
  await system.call(`/pix-callback/${hidden.pixSecret}/pix`, { body: personal });
  for (const faults of [{ status: 500 }, { hang: true }, { disconnect: true }]) {
    await system.bank('/bank/faults', { ...faults, times: 2 });
    await charge();
  }
  await system.bank('/bank/faults', { refuseRefunds: true });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });

  // The database's own errors: ended connections, and a refused row, which its message would repeat.
  const database = new pg.Client({ connectionString: system.databaseUrl });
  await database.connect();
  await database.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await database.query('alter table payments add constraint none check (observation is null) not valid');
  const refused = await eventually('a refused row', async () => {
    const body = await charge();
    return body.statusCode === 500 ? body : undefined;
  });
  t.same(refused, { statusCode: 500, message: 'Erro interno do servidor.' });
  await database.end();
  const processes = [system.api, ...system.dispatchers];
  await system.api.waitForLine(/request failed.*|.*violates check constraint/);
  await Promise.all(processes.map((one) => one.kill('SIGTERM')));

  const lines = processes.flatMap((one) => one.lines);
  assertClean(t, lines, [store.token, webhooks.secret]);
  for (const msg of ['request failed', 'delivery attempt', 'a bank did not register a charge', 'stopped'])
    t.ok(
      lines.some((line) => JSON.parse(line).msg === msg),
      msg,
    );
  t.ok(
    lines.some((line) => line.includes('violates check constraint')),
    'the failure is logged all the same',
  );
});

t.test('a failed start is one line of the same form', { buffered: true }, async (t) => {
  const good = {
    PORT: '0',
    ADMIN_PORT: '0',
    ADMIN_KEY: hidden.adminKey,
    PUBLIC_URL: 'http://127.0.0.1:1',
    DATABASE_URL: `postgres://payments:${hidden.password}@127.0.0.1:1/payments`,
    NATS_URL: 'nats://127.0.0.1:1',
    PIX_URL: 'http://127.0.0.1:1',
    PIX_CLIENT_ID: 'client',
    PIX_CLIENT_SECRET: hidden.pixSecret,
    PIX_KEY: hidden.email,
  };
  const bad: Record<string, string>[] = [
    { DATABASE_URL: `mysql://payments:${hidden.password}@127.0.0.1/payments` },
    { LOG_LEVEL: hidden.password },
    { PIX_KEY_FILE: '/nowhere/key.pem' },
    { WEBHOOK_ALLOW_PRIVATE: `x://u:${hidden.password}@h` },
  ];
  for (const env of bad) {
    const both = ['api', 'dispatcher'].map((service) => ({
      service,
      started: startProcess(mainOf(service), { ...good, ...env }),
    }));
    for (const { service, started } of both) {
      t.same(await started.exited, { code: 1, signal: null });
      t.equal(started.lines.length, 1, started.lines.join('\n'));
      assertClean(t, started.lines);
      t.match(JSON.parse(started.lines[0]!), { level: 'fatal', service });
    }
  }
  const waiting = startProcess(mainOf('api'), good);
  await waiting.waitForLine(/waiting for/);
  await waiting.kill('SIGTERM');
  assertClean(t, waiting.lines);
});
