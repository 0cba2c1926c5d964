import { connectEvents } from '@payments/jetstream/connection';
import { createLogger } from '@payments/runtime/logging';
import { eventually, startSystem } from '@payments/testing/system';
import pg from 'pg';
import t from 'tap';

/** An erasure finds what requests in flight write after it, and ends although its store's events never pause. */
let aheadMs = 0;
const system = await startSystem({
  env: { SCAN_INTERVAL_SECONDS: '1' },
  now: () => new Date(Date.now() + aheadMs),
});
t.teardown(system.stop);
const { admin, api, bank } = system;
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
const known = async () => (await admin(`/admin/personal-data?email=${email}`)).body.payments;

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
  await bank('/bank/faults', { latencyMs: 1_500, only: ['putCob'] });
  const inFlight = create({ email });
  const { body } = await admin('/admin/erasures', { body: { email } });
  t.equal(body.payments, 1, 'the other one is not there yet');
  t.equal((await inFlight).status, 200);
  t.equal((await known()).length, 1);

  let sells = true;
  t.teardown(() => {
    sells = false;
  });
  const selling = (async () => {
    while (sells) await create({ email: 'ana@exemplo.com.br' });
  })();
  await bank('/bank/faults', {});
  aheadMs = 25_000;
  await eventually(10_000, 'the second payment to be erased', async () =>
    (await known()).length === 0 ? true : undefined,
  );
  aheadMs = 45_000;
  const ended = 'select from erasures where id = $1 and finished_at is not null';
  const end = async () => (await client.query(ended, [body.id])).rowCount || undefined;
  await eventually(10_000, 'the erasure to end', end);
  sells = false;
  await selling;
  const left = await emailsInStream();
  t.ok(left.includes('ana@exemplo.com.br'));
  t.notOk(left.includes(email));
  const { rows } = await client.query('select email, payment_ids from erasures');
  t.strictSame(rows, [{ email: null, payment_ids: [] }], 'the record of the erasure names nobody');
});
