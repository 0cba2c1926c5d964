import { dayOf } from '@payments/domain/days';
import type { PaymentDetail } from '@payments/testing/answers';
import { eventually, startSystem, type TestStore } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import t from 'tap';
import { isError } from '../../public/payments/expectations.ts';

/** Totals, statements and CSV: equal to each other and to what each payment shows. */
const system = await startSystem();
t.teardown(system.stop);
const { admin, bank } = system;
const stores = [
  await system.createStore({ feePercent: 1.5, feeFixed: 0.3 }),
  await system.createStore({ feePercent: 2 }),
];
const today = dayOf(new Date());

const sum = (values: readonly (number | null)[]) =>
  Math.round(values.reduce<number>((total, value) => total + (value ?? 0) * 100, 0)) / 100;

const detail = async (id: string): Promise<PaymentDetail> => (await admin(`/admin/payments/${id}`)).body;

async function create({ token }: TestStore, amount: number) {
  const body = { amount, observation: `=Pedido ${amount}`, email: 'ana@example.com' };
  return (await system.api('/api-public/payments', { token, body })).body;
}
const pay = (payment: { qrCopyPaste: string | null }, valor?: number) =>
  bank('/bank/pay', {
    pixCopiaECola: payment.qrCopyPaste,
    ...(valor === undefined ? {} : { valor: valor.toFixed(2) }),
  });
const move = (id: string, status: string) => admin(`/admin/payments/${id}/status`, { body: { status } });
const reach = (id: string, isThere: (payment: PaymentDetail) => boolean) =>
  eventually(`payment ${id}`, async () => {
    const payment = await detail(id);
    return isThere(payment) ? payment : undefined;
  });
const isIn = (status: string) => (payment: PaymentDetail) => payment.status === status;
const hasBack = (count: number) => (payment: PaymentDetail) =>
  payment.refunds.filter(({ state }) => state === 'refunded').length === count;

/** Lives of payments: exact, unpaid, wrong, refunded in part and whole, MED, and a second Pix. */
async function live(store: TestStore): Promise<string[]> {
  const made = await Promise.all([
    create(store, 10),
    create(store, 20),
    create(store, 33.33),
    create(store, 40),
    create(store, 50),
    create(store, 60),
    create(store, 70),
  ]);
  const [exact, , wrong, rejected, part, whole, med] = made;
  await Promise.all([pay(exact), pay(wrong, 30.01), pay(rejected, 41), pay(part), pay(whole), pay(med)]);
  await Promise.all([exact, part, whole, med].map(({ id }) => reach(id, isIn('approved'))));
  await Promise.all([wrong, rejected].map(({ id }) => reach(id, isIn('review'))));
  await move(wrong.id, 'approved');
  await move(rejected.id, 'not_approved');
  await move(exact.id, 'paid');
  await admin(`/admin/payments/${part.id}/refunds`, { body: { amount: 12.34 } });
  await admin(`/admin/payments/${whole.id}/refunds`, { body: {} });
  const { endToEndId } = (await detail(med.id)).pix[0]!;
  await bank('/bank/refunds', { endToEndId, valor: '7.77' });
  await pay(exact);
  await Promise.all([exact, rejected, part, whole, med].map(({ id }) => reach(id, hasBack(1))));
  await reach(whole.id, isIn('not_approved'));
  return made.map(({ id }) => id);
}

const payments = await Promise.all(
  (await Promise.all(stores.map(live))).map((ids) => Promise.all(ids.map(detail))),
);

function expected(details: readonly PaymentDetail[]) {
  const isConfirmed = ({ status }: PaymentDetail) => status === 'approved' || status === 'paid';
  const approved = details.filter(isConfirmed);
  const made = details.flatMap(({ refunds }) => refunds).filter(({ state }) => state === 'refunded');
  return {
    createdCount: details.length,
    approvedCount: approved.length,
    approvedAmount: sum(approved.map(({ amount }) => amount)),
    feeAmount: sum(approved.map(({ feeAmount }) => feeAmount)),
    liquidValue: sum(approved.map(({ liquidValue }) => liquidValue)),
    refundedAmount: sum(made.map(({ amount }) => amount)),
  };
}

const totals = async (query: string) => (await admin(`/admin/totals?${query}`)).body.items;

t.test('totals by store, status and day equal the payments', async (t) => {
  t.same(
    await totals('by=store'),
    stores.map(({ id }, index) => ({ storeId: id, ...expected(payments[index]!) })),
  );
  t.same(await totals(`by=day&from=${today}&to=${today}`), [{ day: today, ...expected(payments.flat()) }]);
  const of = payments[0]!;
  for (const item of await totals(`by=status&storeId=${stores[0]!.id}`)) {
    const { status, ...figures } = item;
    t.same(figures, expected(of.filter((payment) => payment.status === status)), status);
  }
  const parts = `from=${today}T00:00:01-03:00&to=${today}T23:59:58-03:00`;
  t.same(await totals(`by=store&${parts}`), await totals('by=store'));
  t.same(await totals('by=store&bank=default'), await totals('by=store'));
  t.same(await totals('by=day&to=2020-01-01'), []);
});

t.test('a statement equals the totals', async (t) => {
  for (const [index, { id }] of stores.entries()) {
    const { approvedAmount, feeAmount, liquidValue } = expected(payments[index]!);
    const { body } = await admin(`/admin/stores/${id}/statement?from=${today}&to=${today}`);
    const givenBack = sum([12.34, 60, 7.77]);
    const received = sum([approvedAmount, givenBack]);
    const items = [{ period: today, received, fees: feeAmount, givenBack, closing: liquidValue }];
    t.same(body, { opening: 0, items, closing: liquidValue });
    const byMonth = (await admin(`/admin/stores/${id}/statement?by=month`)).body;
    t.same(byMonth.items, [{ ...items[0], period: today.slice(0, 7) }]);
    const csv = await admin(`/admin/stores/${id}/statement.csv?from=${today}`);
    t.match(parse(csv.text, { columns: true }), [
      { period: today, givenBack: givenBack.toFixed(2), closing: liquidValue.toFixed(2) },
    ]);
  }
});

t.test('the payments’ CSV has what the list has, harmless, by a kept parser', async (t) => {
  const csv = await admin(`/admin/payments.csv?storeId=${stores[0]!.id}&q=pedido&bank=default&from=${today}`);
  t.match(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.match(csv.headers.get('content-disposition'), 'attachment; filename="payments.csv"');
  const rows = parse(csv.text, { columns: true }) as Record<string, string>[];
  const list = (await admin(`/admin/payments?storeId=${stores[0]!.id}`)).body.items;
  const cells = list.map((one: PaymentDetail & { observation: string }) => ({
    id: one.id,
    status: one.status,
    amount: one.amount.toFixed(2),
    feeAmount: one.feeAmount!.toFixed(2),
    liquidValue: one.liquidValue!.toFixed(2),
    observation: `'${one.observation}`,
    email: 'ana@example.com',
  }));
  t.match(rows, cells);
  t.equal(rows.length, list.length);
});

t.test('refunds and deliveries as CSV', async (t) => {
  const refunds = parse((await admin('/admin/refunds.csv')).text, { columns: true }) as Record<
    string,
    string
  >[];
  const all = payments.flat().flatMap((payment) => payment.refunds);
  t.equal(refunds.length, all.length);
  t.equal(sum(refunds.map(({ amount }) => Number(amount))), sum(all.map(({ amount }) => amount)));
  const none = await admin('/admin/refunds.csv?state=failed');
  t.match(none.text, /^id,endToEndId,paymentId,storeId,bank,state,amount,[^\n]*\r\n$/);
  const deliveries = await admin(`/admin/deliveries.csv?state=dead&storeId=${stores[0]!.id}`);
  t.match(deliveries.text, /^id,event,paymentId,[^\n]*\r\n$/);
});

t.test('refused', async (t) => {
  const date = 'must be a valid ISO 8601 date string';
  const id = stores[0]!.id;
  const noBank = 'bank must be one of the following values: default';
  const refused: [path: string, message: string][] = [
    ['/admin/totals?by=week', 'by must be one of the following values: day, store, status'],
    ['/admin/totals?from=2026-02-30', `from ${date}`],
    ['/admin/totals?from=2026-02-02&to=2026-02-01', 'to must not be before from'],
    ['/admin/totals?storeId=1', 'storeId must be a UUID'],
    [`/admin/stores/${id}/statement?by=week`, 'by must be one of the following values: day, month'],
    [`/admin/stores/${id}/statement?from=2026-02-02&to=2026-02-01`, 'to must not be before from'],
    [`/admin/stores/${id}/statement.csv?from=2026-02-02T00:00:00Z`, `from ${date}`],
    ['/admin/payments.csv?q=', 'q should not be empty'],
    ['/admin/payments.csv?bank=x', noBank],
    ['/admin/payments?bank=', noBank],
    ['/admin/refunds?bank=x', noBank],
    ['/admin/refunds.csv?bank=x', noBank],
    ['/admin/totals?bank=default&bank=x', noBank],
    ['/admin/refunds.csv?to=x', `to ${date}`],
  ];
  for (const [path, message] of refused) isError(t, await admin(path), 400, message);
  for (const unknown of ['x', '0190a5b0-0000-7000-8000-000000000000'])
    isError(t, await admin(`/admin/stores/${unknown}/statement`), 404, 'Loja não encontrada.');
});
