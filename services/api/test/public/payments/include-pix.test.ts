import type { Paid } from '@payments/testing/answers';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from './expectations.ts';

/** `include=pix` on reads: the Pix of a payment, and what went back of them (Contract: reading). */
const system = await startSystem();
t.teardown(system.stop);
const [store, neighbour] = [await system.createStore({ feePercent: 1 }), await system.createStore()];
const path = '/api-public/payments';
const read = (suffix: string, token = store.token) => system.api(`${path}${suffix}`, { token });
const create = async (fields: object = {}) =>
  (await system.api(path, { token: store.token, body: { amount: 100, ...fields } })).body;
const pay = async (qrCopyPaste: string | null, valor?: string) =>
  (await system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste, ...(valor && { valor }) })).body;
const admin = (id: string, body: unknown) => system.admin(`/admin/payments/${id}/refunds`, { body });
const withPix = async (id: string) => (await read(`/${id}?include=pix`)).body;
const shows = (id: string, refundedAmount: number) =>
  eventually(`${refundedAmount} to have gone back`, async () => {
    const body = await withPix(id);
    return body.refundedAmount === refundedAmount ? body : undefined;
  });

const unpaid = await create({ reference: 'sem Pix' });
const paid = await create({ webhookUrl: 'https://loja.example/pix' });
const first = await pay(paid.qrCopyPaste);
await system.waitForStatus(store, paid.id, 'approved');
const pixOf = (one: Paid, amount: number) => ({
  endToEndId: one.endToEndId,
  amount,
  paidAt: new Date(one.horario).toISOString(),
});

t.test('without it, reads have the same bytes as ever', async (t) => {
  const { text } = await read(`/${paid.id}`);
  const { refundedAmount, pix, ...rest } = await withPix(paid.id);
  t.equal(text, JSON.stringify(rest));
  t.strictSame([refundedAmount, pix], [0, [pixOf(first, 100)]]);
  const names = Object.keys(await withPix(paid.id));
  t.strictSame(names.slice(-2), ['refundedAmount', 'pix'], 'the new fields come last');
  const list = (await read('')).body;
  t.strictSame(list.items[0], rest);
});

t.test('a payment without a Pix has an empty list', async (t) => {
  const { text, body } = await read(`/${unpaid.id}`);
  t.equal(text, JSON.stringify(body));
  t.strictSame(await withPix(unpaid.id), { ...body, refundedAmount: 0, pix: [] });
});

t.test(
  'what went back counts once it is made: a part, all of a second Pix, what the bank took',
  async (t) => {
    await system.bank('/bank/faults', { slowRefundsMs: 600_000 });
    const { body: slow } = await admin(paid.id, { amount: 12.34 });
    await eventually('the bank to have it in process', async () => {
      const { refunds } = (await system.admin(`/admin/payments/${paid.id}`)).body;
      return refunds.some(({ state }: { state: string }) => state === 'processing') || undefined;
    });
    t.match(await withPix(paid.id), { amount: 100, refundedAmount: 0 }, 'nothing yet');
    t.equal(slow.amount, 12.34);
    await system.bank('/bank/faults', {});

    const other = await create();
    const one = await pay(other.qrCopyPaste);
    await system.waitForStatus(store, other.id, 'approved');
    await admin(other.id, { amount: 30.5 });
    t.match(await shows(other.id, 30.5), { amount: 69.5, pix: [pixOf(one, 100)] });
    const second = await pay(other.qrCopyPaste, '7.00');
    t.match(await shows(other.id, 37.5), { amount: 69.5, pix: [pixOf(one, 100), pixOf(second, 7)] });
    await system.bank('/bank/refunds', { endToEndId: one.endToEndId, valor: '19.50' });
    t.match(await shows(other.id, 57), { amount: 50, status: 'approved' });
    await admin(other.id, {});
    t.match(await shows(other.id, 107), { amount: 100, status: 'not_approved' });
  },
);

t.test('lists: the same fields, whatever else is asked for', async (t) => {
  const { body } = await read('?include=pix&limit=200');
  for (const item of body.items) t.strictSame(item, await withPix(item.id));
  t.match(await read('?include=pix&reference=sem%20Pix'), { body: { total: 1, items: [{ pix: [] }] } });
  t.strictSame((await read('?include=pix&status=rejected')).body.items, []);
  const pages = [await read('?include=pix&limit=1'), await read('?include=pix&limit=1&page=2')];
  t.strictSame(
    pages.map((page) => page.body.items[0]),
    body.items.slice(0, 2),
  );
});

t.test('anything but pix is a 400: after the token, before existence', async (t) => {
  const message = 'include must be one of the following values: pix';
  const nobody = '0190a5b0-0000-7000-8000-000000000000';
  for (const wrong of [
    'include=',
    'include=Pix',
    'include=pix,refunds',
    'include=pix&include=pix',
    'include=1',
  ])
    for (const place of ['?', `/${paid.id}?`, `/${nobody}?`])
      isError(t, await read(place + wrong), 400, message);
  const order = [
    ['?include=x&page=0', 'page must not be less than 1'],
    ['?include=x&from=y', 'from must be a valid ISO 8601 date string'],
  ] as const;
  for (const [query, earlier] of order) isError(t, await read(query), 400, earlier);
  isError(t, await read(`/${paid.id}?include=x`, 'pp_no'), 401, 'Token inválido ou expirado.');
});

t.test('another store’s payment is a 404, its Pix in no list', async (t) => {
  isError(t, await read(`/${paid.id}?include=pix`, neighbour.token), 404, 'Pagamento não encontrado.');
  t.strictSame((await read('?include=pix', neighbour.token)).body.items, []);
});
