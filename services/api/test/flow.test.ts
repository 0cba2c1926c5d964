import { startReceiver } from '@payments/testing/receiver';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

t.test('a store charges, its customer pays, the webhook arrives, the status reads approved', async (t) => {
  const system = await startSystem();
  t.teardown(system.stop);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const store = await system.createStore();

  const created = await system.api('/api-public/payments', {
    token: store.token,
    body: { amount: 12.34, email: 'ana@example.com', observation: 'pedido 7', webhookUrl: receiver.url },
  });
  t.equal(created.status, 200);
  t.match(created.body, { status: 'pending', amount: 12.34, isPublic: true, storeId: store.id });
  t.match(created.body.qrCopyPaste, /^000201/);
  await receiver.waitForCount(1);

  const paid = await system.bank('/bank/pay', { pixCopiaECola: created.body.qrCopyPaste });
  t.equal(paid.status, 201);
  const approved = await system.waitForStatus(store, created.body.id, 'approved');
  t.equal(approved.webhookUrl, receiver.url);

  const [first, second] = await receiver.waitForCount(2);
  t.same(JSON.parse(first?.body ?? ''), { event: 'payment.created', ...created.body });
  t.match(JSON.parse(second?.body ?? ''), {
    event: 'payment.status_changed',
    status: 'approved',
    previousStatus: 'pending',
    id: created.body.id,
  });
  t.not(first?.headers['webhook-id'], second?.headers['webhook-id']);

  const image = await fetch(created.body.qrCodeUrl!);
  t.equal(image.headers.get('content-type'), 'image/png');
});
