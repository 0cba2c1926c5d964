import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listPixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import { expectUnheard } from '@payments/database/charges/unheard-charges';
import { listUnmatchedOf } from '@payments/database/charges/unmatched-pix';
import { txidOf } from '@payments/domain/identifiers';
import type { PixClient } from '@payments/pix/client';
import { startBank } from '@payments/testing/bank';
import { call } from '@payments/testing/http';
import t from 'tap';
import { removeUnheard } from '../../src/charges/remove-unheard.ts';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { atBankOf, type BankContext } from '../../src/context.ts';
import { decide } from '../../src/decide.ts';
import { settleListed } from '../../src/pix/settle-listed.ts';
import { openBench } from '../at-bank.ts';

// One account with two keys, as two entries of BANKS_FILE. Both see all of its charges and Pix.
const account = await startBank({ key: undefined as never });
const file = join(t.testdir(), 'banks.json');
const entry = (id: string) => ({
  ...{ id, psp: 'bacen', url: account.url, clientId: 'client', clientSecret: 'secret' },
  key: `${id}@example.com`,
});
writeFileSync(file, JSON.stringify({ banks: [entry('default'), entry('second')] }));
const bench = await openBench(t, async () => {}, { BANKS_FILE: file });
t.teardown(() => account.close());
const { db, system } = bench;
const first = bench.context;
const second = atBankOf(first, 'second');
const atAccount = (path: string, body?: unknown) => call(account.url + path, { body });
await atAccount('/bank/faults', { dropCallbacks: true });

const store = await system.createStore();
await db
  .updateTable('stores')
  .set({ banks: ['second'] })
  .where('id', '=', store.id)
  .execute();

async function sell() {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  return bench.payment(body.id);
}

const pay = async ({ copyAndPaste }: { copyAndPaste: string | null }) =>
  (await atAccount('/bank/pay', { pixCopiaECola: copyAndPaste })).body.endToEndId as string;
const list = (context: BankContext) => {
  const now = context.now().getTime();
  return settleListed(context, { from: new Date(now - 600_000), to: new Date(now + 5_000) });
};
const chargeAtBank = async ({ id }: { id: string }) => (await atAccount(`/bank/charges/${txidOf(id)}`)).body;
const effectsOf = async ({ id }: { id: string }) =>
  (await listPixReceived(db, id)).map(({ effect }) => effect);

/** The entry as of a bank that names no key in its responses. */
function withoutKeys(context: BankContext): BankContext {
  const { pix } = context;
  const listPix: PixClient['listPix'] = async (range) => {
    const page = await pix.listPix(range);
    return { ...page, pix: page.pix.map((one) => ({ ...one, key: null })) };
  };
  const getCharge: PixClient['getCharge'] = async (txid) => {
    const charge = await pix.getCharge(txid);
    return charge && { ...charge, key: null, pix: charge.pix.map((one) => ({ ...one, key: null })) };
  };
  return { ...context, pix: { ...pix, listPix, getCharge } };
}

t.test('a Pix for the other entry’s key is left to that entry', async (t) => {
  const payment = await sell();
  t.equal(payment.bank, 'second');
  await pay(payment);
  t.equal(await list(first), 0);
  t.equal((await bench.payment(payment.id)).status, 'pending');
  t.same(await listChargeProblemsOf(db, payment.id), []);
  t.equal(await list(second), 1);
  t.match(await bench.payment(payment.id), { status: 'approved', bank: 'second', amount: 1_000 });
});

t.test('where the bank names no key, the code that the payer has decides', async (t) => {
  const payment = await sell();
  await pay(payment);
  t.equal(await list(withoutKeys(first)), 1);
  t.match(await bench.payment(payment.id), { status: 'approved', amount: 1_000 });
  t.equal(await list(withoutKeys(second)), 0);
  await pay(payment);
  t.equal(await list(withoutKeys(second)), 1);
  t.same(await effectsOf(payment), ['approved', 'refund'], 'and a second Pix goes back');
  t.match(await bench.payment(payment.id), { status: 'approved', amount: 1_000 });
});

t.test(
  'a Pix that one entry kept, since its charge was hidden, is the other entry’s payment’s',
  async (t) => {
    const payment = await sell();
    const endToEndId = await pay(payment);
    const { pix } = withoutKeys(first);
    const getPix: PixClient['getPix'] = async (id) => {
      const one = await first.pix.getPix(id);
      return one && { ...one, key: null };
    };
    const hidden = { ...first, pix: { ...pix, getPix, getCharge: async () => null } };
    await list(hidden);
    t.match(await listUnmatchedOf(db, first.bank, txidOf(payment.id)), [endToEndId]);
    await list(second);
    t.match(await bench.payment(payment.id), { status: 'approved', bank: 'second', amount: 1_000 });
    bench.advance(11);
    await settleSetAside(first, { limit: 10, leaseMs: 1_000 });
    t.same(await listChargeProblemsOf(db, payment.id), []);
    await atAccount('/bank/refunds', { endToEndId, valor: '4.00' });
    await list(second);
    t.equal((await bench.payment(payment.id)).amount, 600);
  },
);

t.test(
  'a late request of the first entry reaches the second one’s charge: its code can be paid',
  async (t) => {
    const payment = await sell();
    const asked = { paymentId: payment.id, bank: first.bank, askedAt: first.now() };
    await expectUnheard(db, [asked]);
    await first.pix.putCharge(txidOf(payment.id), { amount: 1_000, expiresInSeconds: 3_600 });
    t.equal((await chargeAtBank(payment)).chave, 'default@example.com');
    bench.advance(15);
    t.equal(await removeUnheard(first, { limit: 10, leaseMs: 15_000 }), 1);
    t.equal((await chargeAtBank(payment)).status, 'ATIVA');
    t.same(await db.selectFrom('unheardCharges').selectAll().execute(), []);

    await pay(payment);
    await list(second);
    await list(first);
    t.match(await bench.payment(payment.id), { status: 'approved', bank: 'default', amount: 1_000 });
    t.same(await effectsOf(payment), ['approved']);
    const by = { name: null, via: 'api', reason: null, requestId: null } as const;
    await decide(first, { paymentId: payment.id, to: 'paid', by });
    t.equal((await bench.payment(payment.id)).status, 'paid');
  },
);

t.test('a leftover of the first entry that nobody asked for again is kept, too', async (t) => {
  const payment = await sell();
  await expectUnheard(db, [{ paymentId: payment.id, bank: first.bank, askedAt: first.now() }]);
  bench.advance(15);
  t.equal(await removeUnheard(first, { limit: 10, leaseMs: 15_000 }), 1);
  t.match(await chargeAtBank(payment), { status: 'ATIVA', chave: 'second@example.com' });
  t.same(await db.selectFrom('unheardCharges').selectAll().execute(), []);
});
