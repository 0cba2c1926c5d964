import { readBanksFile } from '@payments/pix/banks-file';
import { createPixClient } from '@payments/pix/client';
import t from 'tap';
import { startTwoBanks, txidOf } from './several.ts';

t.test('a Pix of one bank never settles another bank’s charge with an equal txid', async (t) => {
  const two = await startTwoBanks(t);
  const { banks } = two.system;
  const store = await two.createStore(['second']);
  const { body: payment } = await two.create(store);
  t.equal(two.bankOf({ id: payment.id, code: payment.qrCopyPaste }), 'second');

  const account = readBanksFile(banks.write(), 5_000).find(({ id }) => id === 'first')!;
  const first = createPixClient(account.options);
  t.teardown(() => first.close());
  const { copyAndPaste } = await first.putCharge(txidOf(payment.id), {
    amount: 1_000,
    expiresInSeconds: 3_600,
  });
  const endToEndId = await two.pay('first', copyAndPaste!);
  await two.untilDetail(payment.id, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
  t.match(await two.detail(payment.id), {
    status: 'pending',
    pix: [{ endToEndId, effect: 'refund' }],
    refunds: [{ endToEndId, amount: 10 }],
  });
  t.match((await two.charge('first', payment.id)).body.pix, [{ devolucoes: [{ status: 'DEVOLVIDO' }] }]);

  await two.pay('second', payment.qrCopyPaste);
  await two.untilDetail(payment.id, 'the approval', ({ status }) => status === 'approved');
  t.match(await two.detail(payment.id), { amount: 10, refunds: { length: 1 }, pix: { length: 2 } });
});
