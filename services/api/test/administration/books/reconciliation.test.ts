import { randomUUID } from 'node:crypto';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';

// A scan would find the hidden Pix at the bank.
const system = await startSystem({ dispatcher: false });
t.teardown(() => system.stop());
const store = await system.createStore();
const today = dayOf(new Date());
const compare = async (query = `?date=${today}`) => system.admin(`/admin/reconciliation${query}`);

async function paid(amount: number, valor?: string) {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount } });
  const pay = { pixCopiaECola: body.qrCopyPaste, ...(valor && { valor }) };
  const { endToEndId } = (await system.bank('/bank/pay', pay)).body;
  await system.waitForStatus(store, body.id, valor ? 'review' : 'approved');
  return { id: body.id as string, endToEndId: endToEndId as string };
}

t.test('the bank’s day equals ours, with refunds and with Pix in review', async (t) => {
  const first = await paid(10);
  await paid(20);
  await paid(30, '7.50');
  await system.bank('/bank/refunds', { endToEndId: first.endToEndId, valor: '4.00' });
  await system.admin(`/admin/payments/${first.id}/refunds`, { body: { amount: 1 } });
  const expected = { pixCount: 3, pixAmount: 37.5, refundCount: 2, refundAmount: 5 };
  await t.resolveMatch(
    eventually('both refunds to be made', async () => {
      const { body } = await compare();
      return body.ours.refundCount === 2 ? body : undefined;
    }),
    { date: today, bank: expected, ours: expected, others: { count: 0, amount: 0 }, differences: [] },
  );
  t.match((await compare(`?from=${today}&to=${today}`)).body, { items: [{ date: today, differences: 0 }] });
});

t.test('a look at a day that is not over is not final, whatever it found', async (t) => {
  t.equal((await compare()).body.isFinal, false);
  t.match((await compare(`?from=${today}&to=${today}`)).body, { items: [{ date: today, isFinal: false }] });
  const yesterday = addDays(today, -1);
  await system.db.deleteFrom('reconciliations').where('day', '=', yesterday).execute();
  const over = startOf(today).getTime() + 30 * 60_000 <= Date.now();
  t.equal((await compare(`?date=${yesterday}`)).body.isFinal, over);
  const range = `?from=${yesterday}&to=${yesterday}`;
  t.match((await compare(range)).body, { items: [{ date: yesterday, isFinal: over }] });
  const looked = system.db.updateTable('reconciliations').where('day', '=', yesterday);
  await looked.set({ checkedAt: new Date(startOf(today).getTime() - 1) }).execute();
  t.match((await compare(range)).body, { items: [{ date: yesterday, isFinal: false }] });
});

t.test('other money of the account is counted, and no difference', async (t) => {
  const before = (await compare()).body;
  const txid = 'OUTROSISTEMA0000000000000001';
  const headers = { authorization: `Bearer ${await bankToken()}` };
  const body = { valor: { original: '3.21' }, chave: 'pix@example.com', calendario: { expiracao: 3_600 } };
  const cob = await (
    await fetch(`${system.bankUrl}/cob/${txid}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json();
  await system.bank('/bank/pay', { pixCopiaECola: (cob as { pixCopiaECola: string }).pixCopiaECola });
  // For today, only payments from before the comparison began are compared.
  const after = await eventually('the other Pix to be listed', async () => {
    const { body } = await compare();
    return body.others.count > 0 ? body : undefined;
  });
  t.same(after.others, { count: 1, amount: 3.21 });
  t.same(after.bank, before.bank);
  t.equal(after.differences.length, before.differences.length);
});

t.test('a hidden Pix, an invented one and an altered amount are each named', async (t) => {
  const [hidden, altered] = [await paid(11), await paid(12)];
  await system.db.deleteFrom('pixReceived').where('endToEndId', '=', hidden.endToEndId).execute();
  await system.db
    .updateTable('pixReceived')
    .set({ amount: 1_201 })
    .where('endToEndId', '=', altered.endToEndId)
    .execute();
  const invented = `E${randomUUID().replaceAll('-', '').slice(1)}`;
  await system.db
    .insertInto('pixReceived')
    .values({
      endToEndId: invented,
      bank: 'default',
      paymentId: altered.id,
      txid: null,
      amount: 99,
      effect: 'refund',
      unmatched: null,
      paidAt: new Date(),
      receivedAt: new Date(),
    })
    .execute();
  const { body } = await compare();
  t.same(byKind(body.differences), {
    missing_here: { endToEndId: hidden.endToEndId, txid: hidden.id.replaceAll('-', ''), bankAmount: 11 },
    amount_differs: {
      endToEndId: altered.endToEndId,
      paymentId: altered.id,
      txid: altered.id.replaceAll('-', ''),
      bankAmount: 12,
      ourAmount: 12.01,
    },
    missing_at_bank: { endToEndId: invented, paymentId: altered.id, ourAmount: 0.99 },
  });
});

t.test('wrong days, wrong banks and a bank that can’t be asked', async (t) => {
  const wrong: [query: string, message: string][] = [
    ['', 'date must be a day, as 2026-11-23'],
    ['?date=2026-02-30', 'date must be a day, as 2026-11-23'],
    [`?date=${addDays(today, 1)}`, 'date must not be in the future'],
    ['?from=2026-01-01', 'to must be a day, as 2026-11-23'],
    ['?from=x&to=2026-01-01', 'from must be a day, as 2026-11-23'],
    [`?date=${today}&bank=nobody`, 'bank must be one of the following values: default'],
  ];
  for (const [query, message] of wrong)
    t.match(await compare(query), { status: 400, body: { statusCode: 400, message } }, query);
  await system.bank('/bank/faults', { status: 503, only: ['listPix'] });
  t.match(await compare(), {
    status: 503,
    body: { statusCode: 503, message: 'O banco não pode ser consultado agora: default.' },
  });
  await system.bank('/bank/faults', {});
});

function byKind(differences: { kind: string }[]) {
  return Object.fromEntries(differences.map(({ kind, ...difference }) => [kind, difference]));
}

async function bankToken(): Promise<string> {
  const answer = await fetch(`${system.bankUrl}/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from('client:secret').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}
