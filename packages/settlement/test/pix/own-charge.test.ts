import { newId, txidOf } from '@payments/domain/identifiers';
import type { Charge } from '@payments/pix/client';
import t from 'tap';
import { reconcile } from '../../src/days/reconcile.ts';
import { isOwnCharge } from '../../src/pix/ours.ts';
import { openBench } from '../at-bank.ts';

/** Whether a charge without a payment is ours, at a bank that repeats our mark and at one that leaves it out. */
const bench = await openBench(t, ({ context }) => reconcile(context));
const { context, pix, store } = bench;
const terms = { amount: 1_000, expiresInSeconds: 3_600 };
const marked = (txid: string) => pix.putCharge(txid, { ...terms, storeId: store.id });
const unmarked = (txid: string) => pix.putCharge(txid, terms);
const forgetful = {
  ...context,
  pix: {
    ...pix,
    getCharge: async (txid: string): Promise<Charge | null> => {
      const charge = await pix.getCharge(txid);
      return charge && { ...charge, storeId: null };
    },
  },
};

t.test('before the first payment, nothing shows whether the bank repeats the mark', async (t) => {
  t.equal(await isOwnCharge(context, await unmarked(txidOf(newId()))), true, 'kept rather than dropped');
  t.equal(await isOwnCharge(context, await unmarked('outrosistema'.repeat(3).slice(0, 32))), false);
});

t.test('with a paid payment to compare with', async (t) => {
  const [payment] = await bench.create(1);
  await bench.pay(payment!);
  bench.advance(301);
  await reconcile(context);
  t.equal((await bench.payment(payment!.id)).status, 'approved');
  const charge = await unmarked(txidOf(newId()));
  t.equal(await isOwnCharge(context, charge), false, 'the bank repeats the mark, so it is another system’s');
  t.equal(await isOwnCharge(forgetful, charge), true, 'the bank leaves the mark out, so it may be ours');
  t.equal(await isOwnCharge(context, await marked(txidOf(newId()))), true);
  t.equal(await isOwnCharge(context, charge, async () => false), true, 'the caller’s word counts');
});
