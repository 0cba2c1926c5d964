import { Writable } from 'node:stream';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import { pino } from 'pino';
import t from 'tap';
import { sendRaw } from './raw-http.ts';

type Line = { msg: string; requestId?: string };

t.test('a request id follows a payment from the request through its event to the delivery', async (t) => {
  const lines: Line[] = [];
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const system = await startSystem({ log: pino({ level: 'debug' }, output) });
  t.teardown(system.stop);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const store = await system.createStore();
  const { body: payment, headers } = await system.api('/api-public/payments', {
    token: store.token,
    headers: { 'x-request-id': 'checkout-42' },
    body: { amount: 10, webhookUrl: receiver.url },
  });
  t.equal(headers.get('x-request-id'), 'checkout-42');

  const lineOf = (wanted: string) =>
    eventually(`the line of the ${wanted}`, async () =>
      lines.find(({ msg, requestId }) => msg === wanted && requestId === 'checkout-42'),
    );
  const ids = { paymentId: payment.id, requestId: 'checkout-42' };
  t.match(await lineOf('request'), { requestId: 'checkout-42', status: 200, storeId: store.id });
  t.match(await lineOf('payment created'), ids);
  t.match(await lineOf('delivery attempt'), { ...ids, state: 'delivered', statusCode: 200 });
  const { body: detail } = await system.admin(`/admin/payments/${payment.id}`);
  t.match(detail.events, [{ type: 'payment.created', requestId: 'checkout-42' }]);
});

t.test('an answer to what is no request has an id and a date, too', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  for (const lines of ['FOO / HTTP/1.1', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: much']) {
    const { head } = await sendRaw(system.url, `${lines}\r\n\r\n`);
    t.match(head, /^HTTP\/1\.1 4\d\d /);
    t.match(head, /\r\nx-request-id: [0-9a-f-]{36}\r\n/i, lines);
    t.match(head, /\r\ndate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT(\r\n|$)/i, lines);
  }
});
