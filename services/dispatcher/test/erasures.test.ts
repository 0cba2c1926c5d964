import { connectEvents } from '@payments/jetstream/connection';
import { createLogger } from '@payments/runtime/logging';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import pg from 'pg';
import t from 'tap';

/** An erasure leaves nothing of the person in the database and in JetStream, and the sums as they were. */
let aheadMs = 0;
const system = await startSystem({
  env: { SCAN_INTERVAL_SECONDS: '1', WEBHOOK_RETRY_SECONDS: '0.05' },
  now: () => new Date(Date.now() + aheadMs),
});
t.teardown(system.stop);
const { admin, api, bank } = system;
const email = 'maria.silva@exemplo.com.br';
const refusal = () => ({ status: 500, body: `no order of ${email}` });
const receiver = await startReceiver({ answer: refusal });
t.teardown(receiver.close);
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

const store = await system.createStore({ feePercent: 1 });
const create = async (fields: object) =>
  (await api('/api-public/payments', { token: store.token, body: { amount: 10, ...fields } })).body;
const mine = {
  ...{ email: 'Maria.Silva@Exemplo.com.br', observation: 'Pedido 7', description: 'Livro sete' },
  webhookUrl: receiver.url,
};
const [first, second, third, fourth] = [
  await create({ ...mine, reference: `7 ${email}` }),
  await create({ ...mine, email: null, description: null, observation: `de ${email}` }),
  await create({ webhookUrl: `${receiver.url}/w?cliente=${encodeURIComponent(email)}&pedido=9` }),
  await create({ description: `Aula de ${email}`, webhookUrl: receiver.url }),
];
const other = await create({ email: `ana.${email}`, observation: 'Pedido 8', description: 'Livro oito' });
await bank('/bank/pay', { pixCopiaECola: first.qrCopyPaste });
await system.waitForStatus(store, first.id, 'approved');
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
await eventually('every event to be published, and its last attempt to be over', async () => {
  for (const { id } of [first, second, third, fourth]) {
    const { events, deliveries } = await detail(id);
    if (events.some((event: { published: boolean }) => !event.published)) return undefined;
    if (deliveries.some((delivery: { state: string }) => delivery.state === 'pending')) return undefined;
  }
  return true;
});

// The rest that retention leaves of a receiver whose deliveries are gone.
await client.query(
  `insert into failing_endpoints (id, store_id, url, failures, openings, failing_since)
   values (gen_random_uuid(), $1, $2, 1, 0, now())`,
  [store.id, `https://loja.example/w/${encodeURIComponent(email)}/7`],
);

/** Every row of every table as text. */
async function dump(): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
  );
  const texts = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n').toLowerCase();
}

/** Every event that JetStream keeps. */
async function stream(): Promise<string> {
  const { streams } = await events.ready().jetstreamManager();
  const { state } = await streams.info(system.env.NATS_STREAM!);
  const texts = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await streams.getMessage(system.env.NATS_STREAM!, { seq }).catch(() => undefined);
    if (message) texts.push(message.string());
  }
  return texts.join('\n').toLowerCase();
}

t.test('what is known of an e-mail', async (t) => {
  const { status, body } = await admin(`/admin/personal-data?email=${email.toUpperCase()}`);
  t.equal(status, 200);
  t.strictSame(
    body.payments.map(({ id }: { id: string }) => id),
    [first.id, second.id, third.id, fourth.id],
  );
  t.match(body.payments[0], {
    observation: 'Pedido 7',
    deliveries: [{ attempts: [{ responseExcerpt: /no order/ }] }],
  });
  for (const payment of body.payments) t.strictSame(payment, await detail(payment.id));
});

t.test('an accent may be written in two ways', async (t) => {
  const ways = ['NFC', 'NFD'].map((form) => 'joão@exemplo.com.br'.normalize(form));
  const made = [];
  for (const way of ways)
    for (const fields of [{ email: way }, { observation: `de ${way}` }]) made.push((await create(fields)).id);
  for (const way of ways) {
    const { body } = await admin(`/admin/personal-data?email=${encodeURIComponent(way)}`);
    t.strictSame(
      body.payments.map(({ id }: { id: string }) => id),
      made,
    );
  }
});

t.test('an erasure leaves nothing of the person, and every sum', async (t) => {
  t.ok((await dump()).includes(` ${email}`) && (await stream()).includes(email));
  const totals = (await admin('/admin/totals')).body;
  const { status, body } = await admin('/admin/erasures', {
    body: { email: email.toUpperCase(), reason: email },
  });
  t.equal(status, 202);
  t.strictSame(body, { id: body.id, payments: 4 });
  aheadMs = 45_000;
  const found = () =>
    client.query('select from erasures where id = $1 and finished_at is not null', [body.id]);
  await eventually('the erasure to end', async () => (await found()).rowCount || undefined);
  const left = [await dump(), await stream()].map((text) => text.replaceAll(`ana.${email}`, ''));
  for (const text of left)
    for (const form of [email, encodeURIComponent(email)]) t.notOk(text.includes(form));
  for (const text of left) t.notMatch(text, /pedido 7|livro sete|no order/);
  t.strictSame((await admin('/admin/totals')).body, totals);
  t.match(await detail(first.id), { email: null, observation: null, status: 'approved', amount: 10 });
  for (const { id } of [first, fourth]) t.notOk('description' in (await detail(id)));
  const { webhookUrl, deliveries } = await detail(third.id);
  for (const url of [webhookUrl, deliveries[0]!.url]) t.match(url, /\/w\?cliente=&pedido=9$/);
  t.match(await detail(other.id), {
    email: `ana.${email}`,
    observation: 'Pedido 8',
    description: 'Livro oito',
  });
  t.ok((await stream()).includes('pedido 8'), 'events of others stay');
  t.strictSame((await admin(`/admin/personal-data?email=${email}`)).body.payments, []);
});

t.test('what receivers answer after the erasure is not kept, to old events and to new ones', async (t) => {
  // Well again, so that no circuit keeps its deliveries.
  receiver.answerWith(() => ({ ...refusal(), status: 200 }));
  await client.query('delete from failing_endpoints');
  const before = (await detail(first.id)).deliveries as { id: string; attempts: unknown[] }[];
  for (const { id } of before) {
    const again = await admin(`/admin/deliveries/${id}/redeliver`, { method: 'POST' });
    t.equal(again.status, 202);
  }
  const moved = { status: 'paid' };
  t.equal((await admin(`/admin/payments/${first.id}/status`, { body: moved })).status, 200);
  const deliveries = await eventually('every attempt', async () => {
    const now = (await detail(first.id)).deliveries as { state: string; attempts: unknown[] }[];
    const areOver = now.length > before.length && now.every(({ state }) => state === 'delivered');
    return areOver ? now : undefined;
  });
  for (const [index, { attempts }] of deliveries.entries()) {
    t.ok(attempts.length > (before[index]?.attempts.length ?? 0));
    t.match(attempts.at(-1), { statusCode: 200, responseExcerpt: null });
  }
  t.notMatch(await dump(), /no order/);
  receiver.answerWith(refusal);
});

t.test('the record names nobody, and PostgreSQL refuses to change it', async (t) => {
  const { items } = (await admin('/admin/changes')).body;
  const erasure = items.find(({ action }: { action: string }) => action === 'person.erased');
  t.match(erasure, { to: { payments: 4 }, reason: null });
  for (const change of ['update changes set author = null', 'delete from changes', 'truncate changes'])
    await t.rejects(client.query(change), { code: '42501' });
});

t.test('an e-mail that stands in many payments is erased from some at a time', async (t) => {
  const common = 'contato@loja.example';
  const ids: string[] = [];
  for (let count = 0; count < 101; count += 1) ids.push((await create({ email: common })).id);
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  await client.query('begin');
  await client.query('select from payments where id = $1 for update', [last]);
  const erasing = admin('/admin/erasures', { body: { email: common } });
  const isErased = async () => ((await detail(first)).email === null ? true : undefined);
  await eventually('the first payment to be erased, while the last one is in use', isErased);
  await client.query('commit');
  t.match(await erasing, { status: 202, body: { payments: ids.length } });
  t.equal((await detail(last)).email, null);
});

t.test('wrong input', async (t) => {
  for (const body of [{}, { email: 7 }, { email: 'x' }, []]) {
    const { status, body: answer } = await admin('/admin/erasures', { body });
    t.strictSame([status, answer.message], [400, 'email must be an email']);
  }
  t.equal((await admin('/admin/personal-data')).status, 400);
});

t.test(
  'after PERSONAL_DATA_DAYS the texts of every payment are erased, and what receivers answered',
  async (t) => {
    const nameless = await create({ webhookUrl: `${receiver.url}/sem-nome` });
    const answered = () =>
      client.query(
        `select from deliveries where payment_id = $1 and state = 'dead' and attempt_log::text like '%no order%'`,
        [nameless.id],
      );
    await eventually('its receiver’s answer', async () => (await answered()).rowCount || undefined);
    aheadMs = 1_826 * 24 * 60 * 60_000;
    const erased = async () => ((await detail(other.id)).email === null ? true : undefined);
    await eventually('the texts to be erased', erased);
    t.notOk(/pedido 8|livro oito/.test(await dump()));
    await eventually(
      'the answer to be erased, too',
      async () => (await answered()).rowCount === 0 || undefined,
    );
    const { rows } = await client.query('select keeps_responses from payments where id = $1', [nameless.id]);
    t.same(rows, [{ keeps_responses: false }], 'of a later event no answer is kept either');
  },
);
