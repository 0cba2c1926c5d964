import { claimUnregistered, hastenRegistrations } from '@payments/database/charges/charges';
import { listPixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblems } from '@payments/database/charges/problems';
import { listUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { findPayment } from '@payments/database/payments/payments';
import { listRefunds } from '@payments/database/refunds/refunds';
import { newId, txidOf } from '@payments/domain/identifiers';
import { defaultBank } from '@payments/pix/bank-settings';
import { openBanks } from '@payments/pix/banks';
import { testBankProfile } from '@payments/pix/profiles/test-bank';
import { startBank } from '@payments/testing/bank';
import { call } from '@payments/testing/http';
import t from 'tap';
import { registerLate } from '../../src/charges/follow-charge.ts';
import { removeUnheard } from '../../src/charges/remove-unheard.ts';
import { atBankOf } from '../../src/context.ts';
import { reconcile } from '../../src/days/reconcile.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { openBench } from '../at-bank.ts';
import { accountsOf } from '../histories/bank.ts';

const credentials = { clientId: 'client-test', clientSecret: 'secret-test' };
const tests = await startBank({ ...credentials, key: 'test@example.com' });
const bench = await openBench(t, ({ context }) => reconcile(context));
const { context, db, system } = bench;
const places = [
  { id: 'test', url: tests.url, key: 'test@example.com' },
  { id: defaultBank, url: system.bankUrl, key: bench.pix.key },
];
const accounts = accountsOf(places).map((account) =>
  account.id === 'test'
    ? { ...account, options: { ...account.options, ...credentials, profile: testBankProfile } }
    : account,
);
const banks = openBanks(accounts, { now: () => context.now().getTime() });
t.teardown(async () => {
  await banks.close();
  await tests.close();
});
const at = (id: string) => ({ ...atBankOf({ ...context, banks }, id), recoversPayments: true });
const [atTest, atReal] = [at('test'), at(defaultBank)];
const payAt = (url: string, pixCopiaECola: string) => call(`${url}/bank/pay`, { body: { pixCopiaECola } });
const terms = { amount: 1_000, expiresInSeconds: 86_400 };
const lease = { limit: 100, leaseMs: 60_000 };

// This API knows no test bank, so the charges of both stores wait.
await bench.faults({ status: 400, only: ['putCob'] });
const create = async (token: string) => {
  const { body } = await system.api('/api-public/payments', { token, body: { amount: 10 } });
  return (await findPayment(db, body.id))!;
};
const [tested, real] = [await system.createStore(), await system.createStore()];
await db.updateTable('stores').set({ test: true }).where('id', '=', tested.id).execute();

t.test('a charge that waits is claimed by a bank of its kind alone, and hastened by it', async (t) => {
  const [one, other] = [await create(tested.token), await create(real.token)];
  const now = () => new Date(context.now().getTime() + 3_600_000);
  const claimedBy = async (bank: string) =>
    (await claimUnregistered(db, { bank, now: now(), ...lease })).map(({ id }) => id);
  const later = new Date(context.now().getTime() + 7_200_000);
  await db.updateTable('payments').set({ chargeTryAt: later }).where('bank', 'is', null).execute();
  await hastenRegistrations(db, 'test', context.now());
  t.same(await claimedBy('test'), [one.id]);
  t.same(await claimedBy(defaultBank), []);
  await hastenRegistrations(db, defaultBank, context.now());
  t.same(await claimedBy(defaultBank), [other.id]);
  await bench.faults();
  await registerLate(atTest, one);
  await registerLate(atReal, other);
  t.match(await bench.payment(one.id), { bank: 'test', chargeState: 'registered' });
  t.match(await bench.payment(other.id), { bank: defaultBank, chargeState: 'registered' });
  await bench.faults({ status: 400, only: ['putCob'] });
});

t.test('a bank of the other kind is asked for no charge, whoever hands it one', async (t) => {
  const [one, other] = [await create(tested.token), await create(real.token)];
  await registerLate(atReal, one);
  await registerLate(atTest, other);
  t.equal(await atReal.pix.getCharge(txidOf(one.id)), null);
  t.equal(await atTest.pix.getCharge(txidOf(other.id)), null);
  t.match(await bench.payment(one.id), { bank: null, chargeState: 'unregistered' });
  t.match(await bench.payment(other.id), { bank: null, chargeState: 'unregistered' });
});

t.test('a Pix of the other kind moves no payment, and is shown', async (t) => {
  const [one, other] = [await create(tested.token), await create(real.token)];
  await bench.faults();
  for (const [payment, where, url] of [
    [one, atReal, system.bankUrl],
    [other, atTest, tests.url],
  ] as const) {
    const txid = txidOf(payment.id);
    const { copyAndPaste } = await where.pix.putCharge(txid, terms);
    const { body } = await payAt(url, copyAndPaste);
    await settleTold(where, [{ txid, endToEndIds: [body.endToEndId] }]);
    await reconcile(where);
    t.match(await bench.payment(payment.id), { bank: null, status: 'pending' });
    t.same(await listPixReceived(db, payment.id), []);
    t.same(await listRefunds(db, payment.id), []);
    const { items } = await listChargeProblems(db, { page: 1, limit: 100 });
    t.match(
      items.filter((problem) => problem.txid === txid),
      [{ bank: where.bank, error: { code: 'kind_differs' } }],
    );
  }
  // Its own bank goes on with it.
  await registerLate(atTest, one);
  await payAt(tests.url, (await bench.payment(one.id)).copyAndPaste!);
  await reconcile(atTest);
  t.match(await bench.payment(one.id), { bank: 'test', status: 'approved' });
});

t.test('a lost payment is made anew only at a bank of its store’s kind', async (t) => {
  for (const [store, where, url] of [
    [tested, atReal, system.bankUrl],
    [real, atTest, tests.url],
  ] as const) {
    const id = newId(context.now());
    const { copyAndPaste } = await where.pix.putCharge(txidOf(id), { ...terms, storeId: store.id });
    const { body } = await payAt(url, copyAndPaste);
    await settleTold(where, [{ txid: txidOf(id), endToEndIds: [body.endToEndId] }]);
    t.equal(await findPayment(db, id), undefined);
    const { items } = await listUnmatchedPix(db, { page: 1, limit: 100 });
    t.match(
      items.filter((pix) => pix.endToEndId === body.endToEndId),
      [{ bank: where.bank, reason: 'no_payment' }],
    );
  }
  const id = newId(context.now());
  const { copyAndPaste } = await atTest.pix.putCharge(txidOf(id), { ...terms, storeId: tested.id });
  const { body } = await payAt(tests.url, copyAndPaste);
  await settleTold(atTest, [{ txid: txidOf(id), endToEndIds: [body.endToEndId] }]);
  t.match(await findPayment(db, id), { test: true, bank: 'test', status: 'approved' });
});

t.test('what is removed as unheard is at the banks of its kind', async (t) => {
  const { rows } = await db
    .selectFrom('unheardCharges as u')
    .innerJoin('payments as p', 'p.id', 'u.paymentId')
    .select(['u.bank', 'p.test'])
    .execute()
    .then((found) => ({ rows: found }));
  t.same(
    rows.filter(({ bank, test }) => (bank === 'test') !== test),
    [],
  );
  await removeUnheard(atTest, lease);
  await removeUnheard(atReal, lease);
});
