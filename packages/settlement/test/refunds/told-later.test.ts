import { listRefunds } from '@payments/database/refunds/refunds';
import type { Refund } from '@payments/pix/client';
import t from 'tap';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { settleListed } from '../../src/pix/settle-listed.ts';
import { followBankRefund } from '../../src/refunds/follow-bank-refund.ts';
import { notMade, recordResponse } from '../../src/refunds/sync-refunds.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// The bank's first word of a return lacks what a later one tells.
const bench = await openBench(t, async ({ context }, id) =>
  settleCharge(context, id, await chargeOf(bench, id)),
);
const { context, db, pix } = bench;
const bare: Refund = {
  ...{ id: 'MED1', rtrId: null, amount: 400, nature: null, reason: null, settledAt: null },
  status: 'EM_PROCESSAMENTO',
};
const made: Refund = { ...bare, status: 'DEVOLVIDO' };
const told = { rtrId: 'D12345678202611251840abcdefghijk', nature: 'MED_FRAUDE', reason: 'golpe relatado' };
const onRecord = { rtrId: told.rtrId, reason: told.nature, lastError: { code: 'told', detail: told.reason } };

/** An approved payment whose Pix shows what a test says. */
async function paid() {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const endToEndId = await bench.pay(payment!);
  const charge = await chargeOf(bench, id);
  const showing = (refund: Refund) => ({
    ...charge,
    pix: charge.pix.map((one) => ({ ...one, refunds: [refund] })),
  });
  const at = (refund: Refund) => ({
    ...context,
    pix: {
      ...pix,
      getCharge: async () => showing(refund),
      listPix: async () => ({ pix: showing(refund).pix, unreadable: [], pages: 1 }),
    },
  });
  const learn = (refund: Refund) => settleCharge(context, id, showing(refund));
  const refund = async () => (await listRefunds(db, id))[0]!;
  return { id, endToEndId, at, learn, refund };
}

for (const first of [bare, made])
  t.test(`natureza, rtrId and motivo that come later than ${first.status} are recorded`, async (t) => {
    const { learn, refund } = await paid();
    await learn(first);
    t.match(await refund(), { rtrId: null, reason: 'bank', lastError: null });
    await learn({ ...first, ...told });
    t.match(await refund(), onRecord);
    await learn(first);
    t.match(await refund(), onRecord, 'an answer without them takes nothing back');
  });

t.test('what the first answer tells is recorded, and stays when the return is made', async (t) => {
  const { learn, refund } = await paid();
  await learn({ ...bare, ...told });
  t.match(await refund(), { ...onRecord, state: 'processing' });
  await learn(made);
  t.match(await refund(), { ...onRecord, state: 'refunded' });
});

t.test('the bank’s list tells it, too', async (t) => {
  const { at, learn, refund } = await paid();
  await learn(made);
  const range = { from: new Date(0), to: context.now() };
  await settleListed(at({ ...made, ...told }), range);
  t.match(await refund(), onRecord);
});

t.test('a look at a return under way keeps the bank’s reason', async (t) => {
  const { at, learn, refund } = await paid();
  await learn({ ...bare, ...told });
  await followBankRefund(at(bare), await refund());
  t.match(await refund(), onRecord);
});

t.test(
  'a return that is concluded not to be made keeps its rtrId, and the reason of a failure ends',
  async (t) => {
    const { learn, refund } = await paid();
    await learn({ ...bare, ...told });
    await recordResponse(context, await refund(), notMade(await refund()), { code: 'refund_not_shown' });
    t.match(await refund(), { rtrId: told.rtrId, state: 'failed', lastError: { code: 'refund_not_shown' } });
    await learn(bare);
    t.match(await refund(), { rtrId: told.rtrId, state: 'processing', lastError: null });
  },
);

t.test('a natureza that is known stays', async (t) => {
  const { learn, refund } = await paid();
  await learn({ ...made, nature: 'ORIGINAL' });
  await learn({ ...made, nature: 'MED_FRAUDE' });
  t.match(await refund(), { reason: 'ORIGINAL' });
});
