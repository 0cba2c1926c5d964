import { fileURLToPath } from 'node:url';
import { connectEvents } from '@payments/jetstream/connection';
import { createLogger } from '@payments/runtime/logging';
import { startOddBank } from '@payments/testing/odd-bank';
import { startProcess } from '@payments/testing/processes';
import { eventually, startSystem } from '@payments/testing/system';
import pg from 'pg';
import t from 'tap';
import { freePort } from './dispatcher-processes.ts';

/** An erasure finds what requests in flight write after it, and ends although its store's events never pause, or its process is killed. */
let aheadMs = 0;
const bank = await startOddBank();
const system = await startSystem({
  env: { SCAN_INTERVAL_SECONDS: '1', PIX_URL: bank.url },
  now: () => new Date(Date.now() + aheadMs),
});
t.teardown(async () => {
  await system.stop();
  await bank.close();
});
bank.standBefore(system.bankUrl);
const { admin, api } = system;
const email = 'maria.silva@exemplo.com.br';
const events = connectEvents({
  url: system.env.NATS_URL!,
  stream: system.env.NATS_STREAM!,
  name: 'test',
  log: createLogger('test', 'silent'),
});
t.teardown(events.close);
const client = new pg.Client(system.env.DATABASE_URL);
await client.connect();
t.teardown(() => client.end());

const store = await system.createStore();
const create = (fields: object) =>
  api('/api-public/payments', { token: store.token, body: { amount: 10, ...fields } });
const known = async (of = email) => (await admin(`/admin/personal-data?email=${of}`)).body.payments;

/** @returns the e-mails of the events that JetStream keeps */
async function emailsInStream(): Promise<string[]> {
  const { streams } = await events.ready().jetstreamManager();
  const { state } = await streams.info(system.env.NATS_STREAM!);
  const emails = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await streams.getMessage(system.env.NATS_STREAM!, { seq }).catch(() => undefined);
    if (message) emails.push(message.json<{ payment: { email: string } }>().payment.email);
  }
  return emails;
}

t.test('a payment in flight, of a store that sells on', async (t) => {
  await create({ email });
  const [asked, erased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  bank.answerWith(async ({ method }, ask) => {
    if (method === 'PUT') asked.resolve();
    await erased.promise;
    return ask();
  });
  const inFlight = create({ email });
  await asked.promise;
  const { body } = await admin('/admin/erasures', { body: { email } });
  t.equal(body.payments, 1, 'the other one is not there yet');
  bank.answerRightly();
  erased.resolve();
  t.equal((await inFlight).status, 200);
  t.equal((await known()).length, 1);

  let sells = true;
  t.teardown(() => {
    sells = false;
  });
  const selling = (async () => {
    while (sells) await create({ email: 'ana@exemplo.com.br' });
  })();
  aheadMs = 25_000;
  await eventually('the second payment to be erased', async () =>
    (await known()).length === 0 ? true : undefined,
  );
  aheadMs = 45_000;
  const ended = 'select from erasures where id = $1 and finished_at is not null';
  const end = async () => (await client.query(ended, [body.id])).rowCount || undefined;
  await eventually('the erasure to end', end);
  sells = false;
  await selling;
  const left = await emailsInStream();
  t.ok(left.includes('ana@exemplo.com.br'));
  t.notOk(left.includes(email));
  const { rows } = await client.query('select email, payment_ids from erasures');
  t.strictSame(rows, [{ email: null, payment_ids: [] }], 'the record of the erasure names nobody');
});

t.test('an API that is killed while it erases', async (t) => {
  const common = 'contato@loja.example';
  const ids: string[] = [];
  for (let count = 0; count < 101; count += 1) ids.push((await create({ email: common })).body.id);
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  const adminPort = await freePort();
  const main = fileURLToPath(new URL('../../api/src/main.ts', import.meta.url));
  const ports = { PORT: String(await freePort()), ADMIN_PORT: String(adminPort) };
  const process = startProcess(main, { ...system.env, ...ports });
  t.teardown(() => process.kill('SIGKILL'));
  await process.ready;
  await client.query('begin');
  await client.query('select from payments where id = $1 for update', [last]);
  const erasing = fetch(`http://127.0.0.1:${adminPort}/admin/erasures`, {
    method: 'POST',
    headers: { authorization: `Bearer ${system.env.ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: common }),
  }).catch(() => 'killed');
  await eventually('the first payment to be erased, while the last one is in use', async () =>
    (await admin(`/admin/payments/${first}`)).body.email === null ? true : undefined,
  );
  await process.kill('SIGKILL');
  t.equal(await erasing, 'killed');
  await client.query('commit');
  await eventually('the dispatcher to erase the rest', async () =>
    (await known(common)).length === 0 ? true : undefined,
  );
  t.equal((await admin(`/admin/payments/${last}`)).body.email, null);
});
