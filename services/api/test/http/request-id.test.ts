import { startProcessSystem } from '@payments/testing/process-system';
import { startReceiver } from '@payments/testing/receiver';
import t from 'tap';

t.test('a request id follows a payment from the request through its event to the delivery', async (t) => {
  const system = await startProcessSystem({ env: { LOG_LEVEL: 'debug' } });
  t.teardown(system.stop);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const store = await system.createStore();
  const { body: payment, headers } = await system.call('/api-public/payments', {
    token: store.token,
    headers: { 'x-request-id': 'checkout-42' },
    body: { amount: 10, webhookUrl: receiver.url },
  });
  t.equal(headers.get('x-request-id'), 'checkout-42');

  const lineOf = async (process: (typeof system)['api'], message: string) =>
    JSON.parse(await process.waitForLine(new RegExp(`checkout-42.*"msg":"${message}"`)));
  const [dispatcher] = system.dispatchers;
  const ids = { paymentId: payment.id, requestId: 'checkout-42' };
  t.match(await lineOf(system.api, 'request'), { requestId: 'checkout-42', status: 200, storeId: store.id });
  t.match(await lineOf(system.api, 'payment created'), { ...ids, service: 'api' });
  t.match(await lineOf(dispatcher!, 'delivery attempt'), { ...ids, state: 'delivered', statusCode: 200 });
  const { body: detail } = await system.admin(`/admin/payments/${payment.id}`);
  t.match(detail.events, [{ type: 'payment.created', requestId: 'checkout-42' }]);
});
