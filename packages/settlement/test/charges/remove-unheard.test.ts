import {
  claimUnheard,
  expectUnheard,
  forgetUnheard,
  postponeUnheard,
} from '@payments/database/charges/unheard-charges';
import type { StoredPayment } from '@payments/database/payments/payments';
import { listRefunds } from '@payments/database/refunds/refunds';
import { newId, txidOf } from '@payments/domain/identifiers';
import { buildBrCode } from '@payments/pix/brcode';
import t from 'tap';
import { removeUnheard } from '../../src/charges/remove-unheard.ts';
import { chargeOf, openBench } from '../at-bank.ts';

const bench = await openBench(t, async () => {});
const { context, db } = bench;
const { bank } = context;
const removed = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';

const look = () => removeUnheard(context, { limit: 10, leaseMs: 15_000 });
const isKnown = async ({ id }: { id: string }) => {
  const rows = await db.selectFrom('unheardCharges').select('bank').where('paymentId', '=', id).execute();
  return rows.length > 0;
};
const unheard = ({ id }: { id: string }) => ({ paymentId: id, bank, askedAt: context.now() });

const register = (id: string) => bench.pix.putCharge(txidOf(id), { amount: 1_000, expiresInSeconds: 3_600 });

const codeElsewhere = buildBrCode({
  location: 'another.example/qr/1',
  merchantName: 'Loja',
  merchantCity: 'Recife',
});

/** A payment that is another bank's, while this one may have taken its charge. The payer has the other bank's code. */
async function ofAnotherBank(copyAndPaste = codeElsewhere): Promise<StoredPayment> {
  const [payment] = await bench.create(1);
  await db
    .updateTable('payments')
    .set({ bank: 'another', chargeState: 'registered', chargeTryAt: null, copyAndPaste })
    .where('id', '=', payment!.id)
    .execute();
  return payment!;
}

t.test('a charge of another bank’s payment is removed, once a slow creation has ended', async (t) => {
  const payment = await ofAnotherBank();
  await expectUnheard(db, [unheard(payment)]);
  t.equal(await look(), 0);
  bench.advance(15);
  t.equal(await look(), 1);
  t.equal((await chargeOf(bench, payment.id)).status, removed);
  t.notOk(await isKnown(payment));
});

t.test('a charge that is asked for again while it is looked at is looked at again', async (t) => {
  const payment = await ofAnotherBank();
  const first = unheard(payment);
  await expectUnheard(db, [first]);
  bench.advance(15);
  await claimUnheard(db, { bank, limit: 1, leaseMs: 15_000, now: context.now() });
  await expectUnheard(db, [unheard(payment)]);
  await forgetUnheard(db, first);
  await postponeUnheard(db, first, { tryAt: new Date(context.now().getTime() + 3_600_000), tries: 3 });
  t.ok(await isKnown(payment));
  bench.advance(15);
  t.equal(await look(), 1);
  t.equal((await chargeOf(bench, payment.id)).status, removed);
});

t.test('a bank that does not know the charge is asked four times: a request may arrive late', async (t) => {
  await bench.faults({ status: 400, only: ['putCob'] });
  const { id } = await ofAnotherBank();
  await bench.faults();
  await expectUnheard(db, [unheard({ id })]);
  for (const seconds of [15, 5, 10]) {
    bench.advance(seconds);
    t.equal(await look(), 1);
  }
  await register(id);
  bench.advance(20);
  t.equal(await look(), 1);
  t.equal((await chargeOf(bench, id)).status, removed);
  t.notOk(await isKnown({ id }));
});

t.test('a payment that comes late is waited for, as long again each time', async (t) => {
  const payment = { id: newId() };
  await register(payment.id);
  await expectUnheard(db, [unheard(payment)]);
  for (const seconds of [15, 16, 32]) {
    bench.advance(seconds);
    t.equal(await look(), 1, `after ${seconds} more seconds`);
  }
  t.equal((await chargeOf(bench, payment.id)).status, 'ATIVA');
  bench.advance(24 * 3_600);
  t.equal(await look(), 1);
  t.notOk(await isKnown(payment), 'nobody can repeat the creation any more');
  t.equal((await chargeOf(bench, payment.id)).status, removed);
});

t.test('a charge that nobody can make a payment of is asked for four times, too', async (t) => {
  const payment = { id: newId() };
  await bench.pix.putCharge(txidOf(payment.id), { amount: 1_000, expiresInSeconds: 2_000_000 });
  await expectUnheard(db, [unheard(payment)]);
  bench.advance(25 * 3_600);
  await bench.faults({ status: 404, only: ['getCob'], times: 1 });
  t.equal(await look(), 1);
  t.ok(await isKnown(payment));
  bench.advance(5);
  t.equal(await look(), 1);
  t.notOk(await isKnown(payment));
  t.equal((await chargeOf(bench, payment.id)).status, removed);
});

t.test('a charge that was paid is looked at until its Pix is shown, and goes back', async (t) => {
  const payment = await ofAnotherBank();
  await expectUnheard(db, [unheard(payment)]);
  const { copyAndPaste } = await chargeOf(bench, payment.id);
  const endToEndId = await bench.pay({ ...payment, copyAndPaste });
  const { pix } = context;
  const withoutPix = async (txid: string) => ({ ...(await pix.getCharge(txid))!, pix: [] });
  bench.advance(15);
  await removeUnheard({ ...context, pix: { ...pix, getCharge: withoutPix } }, { limit: 10, leaseMs: 15_000 });
  t.ok(await isKnown(payment));
  bench.advance(5);
  t.equal(await look(), 1);
  t.notOk(await isKnown(payment));
  t.match(await listRefunds(db, payment.id), [{ endToEndId, reason: 'second_pix' }]);
});

t.test(
  'a charge that could not be removed yet is not gone for one answer that does not show it',
  async (t) => {
    const payment = await ofAnotherBank();
    await expectUnheard(db, [unheard(payment)]);
    const { pix } = context;
    const lookAt = (other: Partial<typeof pix>) =>
      removeUnheard({ ...context, pix: { ...pix, ...other } }, { limit: 10, leaseMs: 15_000 });
    const cancelCharge = async (txid: string) => (await pix.getCharge(txid))!;
    bench.advance(15);
    for (let looks = 0; looks < 4; looks += 1) {
      t.equal(await lookAt({ cancelCharge }), 1, 'the bank says that it can be paid');
      bench.advance(30);
    }
    t.equal(await lookAt({ getCharge: async () => null }), 1);
    t.ok(await isKnown(payment));
    bench.advance(30);
    t.equal(await look(), 1);
    t.equal((await chargeOf(bench, payment.id)).status, removed);
    t.notOk(await isKnown(payment));
  },
);

t.test('a charge of a payment that waits for its code stays, until the payment expires', async (t) => {
  const [payment] = await bench.create(1);
  await db
    .updateTable('payments')
    .set({ bank: null, chargeState: 'unregistered' })
    .where('id', '=', payment!.id)
    .execute();
  await expectUnheard(db, [unheard(payment!)]);
  bench.advance(15);
  t.equal(await look(), 1);
  t.equal((await chargeOf(bench, payment!.id)).status, 'ATIVA');
  bench.advance(86_400);
  t.equal(await look(), 1);
  t.notOk(await isKnown(payment!));
});

t.test('a charge that can’t be told from the payment’s own stays, until the payment expires', async (t) => {
  const payment = await ofAnotherBank('no BR Code');
  await expectUnheard(db, [unheard(payment)]);
  for (const seconds of [15, 86_400]) {
    bench.advance(seconds);
    t.equal(await look(), 1);
    t.equal((await chargeOf(bench, payment.id)).status, 'ATIVA');
  }
  t.notOk(await isKnown(payment));
});
