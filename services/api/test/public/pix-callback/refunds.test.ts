import { insertRefundOrder } from '@payments/database/refunds/orders';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';

t.test('a callback begins the refunds that its own Pix led to, and no others that are due', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const store = await system.createStore();
  const charge = async () =>
    (await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } })).body;
  const pay = async ({ qrCopyPaste }: { qrCopyPaste: string | null }) =>
    (await system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste })).body.endToEndId as string;

  const [first, second] = [await charge(), await charge()];
  const endToEndId = await pay(first);
  await system.waitForStatus(store, first.id, 'approved');
  await insertRefundOrder(system.db, {
    endToEndId,
    paymentId: first.id,
    amount: 1_000,
    reason: 'rejected',
    replaces: null,
    reorders: 0,
    now: new Date(),
  });
  await pay(second);
  await system.waitForStatus(store, second.id, 'approved');
  const twice = await pay(second);
  const refund = (id: string) =>
    system.db.selectFrom('refunds').selectAll().where('endToEndId', '=', id).executeTakeFirst();
  // The refund's own callback follows and must not start the other refund either.
  await eventually('the second Pix to go back', async () =>
    (await refund(twice))?.state === 'refunded' ? true : undefined,
  );
  t.match(await refund(endToEndId), { state: 'requested', tries: 0 });
});
