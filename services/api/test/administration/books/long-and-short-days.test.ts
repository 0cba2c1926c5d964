import { startSystem } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import t from 'tap';

/** Lists, exports, totals and statements put a payment on one and the same day, also where the clocks change. */
let now = new Date('2018-11-03T15:00:00Z');
const system = await startSystem({ dispatcher: false, now: () => now });
t.teardown(system.stop);
const { admin } = system;
const store = await system.createStore();

const moments: [moment: string, day: string][] = [
  ['2018-11-03T23:59:59-03:00', '2018-11-03'],
  // A day of 23 hours: it begins at 01:00.
  ['2018-11-04T01:00:00-02:00', '2018-11-04'],
  ['2018-11-04T23:59:59-02:00', '2018-11-04'],
  ['2018-11-05T00:00:00-02:00', '2018-11-05'],
  // A day of 25 hours: it has 23:30 twice.
  ['2019-02-16T23:30:00-02:00', '2019-02-16'],
  ['2019-02-16T23:30:00-03:00', '2019-02-16'],
  ['2019-02-17T00:00:00-03:00', '2019-02-17'],
];
const made: { id: string; day: string }[] = [];
for (const [moment, day] of moments) {
  now = new Date(moment);
  const body = await system.sell(store, { amount: 10 });
  made.push({ id: body.id, day });
}

for (const day of new Set(moments.map(([, one]) => one))) {
  t.test(`${day} is the same day everywhere`, async (t) => {
    const expected = made.filter((one) => one.day === day).map(({ id }) => id);
    const range = `from=${day}&to=${day}`;
    const ids = (items: { id: string }[]) => items.map(({ id }) => id).sort();
    t.same(ids((await admin(`/admin/payments?${range}`)).body.items), expected.sort(), 'list');
    const ofStore = await system.api(`/api-public/payments?${range}`, { token: store.token });
    t.same(ids(ofStore.body.items), expected, 'the store’s list');
    const csv = await fetch(`${system.adminUrl}/admin/payments.csv?${range}`, {
      headers: { authorization: `Bearer ${system.env.ADMIN_KEY}` },
    });
    t.same(ids(parse(await csv.text(), { columns: true, bom: true })), expected, 'CSV');
    const totals = (await admin(`/admin/totals?${range}`)).body;
    t.match(totals.items, [{ createdCount: expected.length, approvedCount: expected.length }], 'totals');
    const statement = (await admin(`/admin/stores/${store.id}/statement?${range}&by=day`)).body;
    t.match(statement.items, [{ period: day, received: expected.length * 10 }], 'statement');
  });
}
