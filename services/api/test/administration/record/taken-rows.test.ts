import { windowMs } from '@payments/database/record/repeated-changes';
import { query } from '@payments/testing/sessions';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { takenRows, untoldRows } from '../../../src/administration/record/taken-rows.ts';
import { newPerson } from '../panel-people.ts';

/** An export by hand is on record, however it is paged (Contract: roles). */
const beginning = Math.floor(Date.now() / windowMs) * windowMs;
let now = new Date(beginning);
const system = await startSystem({ dispatcher: false, now: () => now });
t.teardown(system.stop);
const { admin, db } = system;
const store = await system.createStore();
const many = 700;
const { id, endToEndId } = await system.sell(store, { amount: 100 });

const fill = (text: string, ...values: unknown[]) => query(system.env.DATABASE_URL!, text, values);
// Times differ, so that a list can be cut before each row.
const at = `now() - n * interval '1 minute'`;
await fill(
  `insert into payments (id, store_id, test, status, charged, amount, email, is_public, bank, copy_and_paste,
    charge_state, expires_at, expiry_check_at, events, created_at)
  select uuidv7(n * interval '-1 minute'), store_id, test, 'not_approved', charged, charged, n || '@cliente.example', true, bank, 'x',
    'closed', expires_at, expires_at, 1, ${at}
  from payments, generate_series(1, ${many}) n where id = $1`,
  id,
);
await fill(
  `insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
  select uuidv7(n * interval '-1 minute'), payment_id, store_id, 100 + n, type, status, payload, actor, ${at}
  from events, generate_series(1, ${many}) n where payment_id = $1 and sequence = 1`,
  id,
);
await fill(
  `insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, created_at)
  select id, payment_id, store_id, sequence, 'https://loja.example/pix', gen_random_uuid(), 'dead', occurred_at
  from events where payment_id = $1 and sequence > 100`,
  id,
);
await fill(
  `insert into refunds (id, end_to_end_id, bank, payment_id, amount, wanted, origin, reason, state, created_at, updated_at)
  select 'D' || n, $2, 'default', $1::uuid, 1, 1, 'bank', 'returned_by_bank', 'failed', ${at}, ${at}
  from generate_series(1, ${many}) n`,
  id,
  endToEndId,
);

const recorded = async (list: string) =>
  (
    await db
      .selectFrom('changes')
      .select(['after', 'via'])
      .where('action', '=', 'list.paged')
      .orderBy('id')
      .execute()
  )
    .map(({ after, via }) => ({ via, to: after }))
    .filter(({ to }) => to?.kind === list);
const keyOf = async () =>
  (await admin('/admin/keys', { body: { name: 'x', role: 'viewer' } })).body.key as string;

type Row = { id: string; createdAt: string };

for (const list of ['payments', 'refunds', 'deliveries']) {
  const page = async (token: string, to: string) =>
    (await admin(`/admin/${list}?limit=200&to=${to}`, { token })).body.items as Row[];

  t.test(`${list}: always the first page, each time before the last row`, async (t) => {
    const before = (await recorded(list)).length;
    const token = await keyOf();
    const seen = new Set<string>();
    let to = new Date().toISOString();
    const told: number[] = [];
    for (let reads = 0; reads < 4; reads += 1) {
      const rows = await page(token, to);
      for (const row of rows) seen.add(row.id);
      to = rows.at(-1)!.createdAt;
      told.push((await recorded(list)).length - before);
    }
    t.ok(seen.size > untoldRows);
    t.strictSame(told, [0, 0, 0, 1], 'once there are too many');
    t.match((await recorded(list)).at(-1), { via: 'api', to: { kind: list, rows: seen.size } });
  });

  t.test(`${list}: a page that is asked for again and again is no export`, async (t) => {
    const before = (await recorded(list)).length;
    const token = await keyOf();
    for (let reads = 0; reads < 5; reads += 1) await page(token, new Date().toISOString());
    t.equal((await recorded(list)).length, before);
  });

  t.test(`${list}: each page after the third, on both faces`, async (t) => {
    const viewer = await newPerson(system, { role: 'viewer' });
    const before = (await recorded(list)).length;
    for (const number of [3, 4]) await viewer.get(`/panel/${list}?page=${number}`);
    for (const number of [3, 4]) await admin(`/admin/${list}?page=${number}&limit=10`);
    t.match((await recorded(list)).slice(before), [
      { via: 'panel', to: { kind: list, page: 4 } },
      { via: 'api', to: { kind: list, page: 4, limit: 10 } },
    ]);
  });
}

t.test(
  'the panel: the same rows under another filter count once, and the record tells of it in words',
  async (t) => {
    const viewer = await newPerson(system, { role: 'viewer' });
    const before = (await recorded('payments')).length;
    const statuses = ['', 'not_approved'];
    for (const number of [1, 2, 3])
      for (const status of statuses) await viewer.get(`/panel/payments?page=${number}&status=${status}`);
    t.equal((await recorded('payments')).length, before);
    const owner = await newPerson(system);
    const words = /tipo: pagamentos, até: [^<]+, linhas em dez minutos: 70\d/;
    t.ok(words.test((await owner.get('/panel/changes')).text), 'the record in Portuguese');
  },
);

t.test('once in ten minutes, of each actor and list by itself', (t) => {
  const take = takenRows();
  const rows = (count: number, from = 0) => Array.from({ length: count }, (_, n) => String(from + n));
  const taken = (who: string, ids: string[]) => take({ who, ids, at: now });
  t.equal(taken('a', rows(untoldRows)), undefined);
  t.equal(taken('a', rows(untoldRows)), undefined, 'the same rows');
  t.equal(taken('b', rows(200, 10_000)), undefined, 'somebody else’s');
  t.equal(taken('a', rows(200, untoldRows)), untoldRows + 200);
  t.equal(taken('a', rows(200, 20_000)), undefined, 'it is told already');
  now = new Date(now.getTime() + windowMs);
  t.equal(taken('a', rows(untoldRows)), undefined);
  t.equal(taken('a', rows(1, 30_000)), untoldRows + 1, 'and again');
  t.end();
});
