import { startProcessSystem } from '@payments/testing/process-system';
import { startReceiver } from '@payments/testing/receiver';
import { startTraceReceiver } from '@payments/testing/trace-receiver';
import t from 'tap';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

t.test('one trace from the store’s request to the delivery, across both processes', async (t) => {
  const collector = await startTraceReceiver();
  t.teardown(collector.close);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const system = await startProcessSystem({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_RESOURCE_ATTRIBUTES: 'deployment.name=test' },
  });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await system.stop();
    isStopped = true;
  };
  t.teardown(stop);
  const store = await system.createStore();
  const { body: payment } = await system.call('/api-public/payments', {
    token: store.token,
    headers: { traceparent: `00-${traceId}-${parentId}-01` },
    body: {
      amount: 10,
      email: 'payer@personal.example',
      observation: 'two-blue-shirts',
      webhookUrl: `${receiver.url}?key=in-the-query`,
    },
  });
  const delivered = await receiver.waitFor(() => true);
  t.equal(delivered.headers.traceparent, undefined, 'receivers get no trace');
  // The remaining spans are sent at the end.
  await stop();

  const mine = collector.spans.filter((span) => span.traceId === traceId);
  const named = (service: string, name: string) =>
    mine.filter((span) => span.service === service && span.name.startsWith(name));
  const [request] = named('payments-api', 'POST /api-public/payments');
  t.match(request, { parentSpanId: parentId, attributes: { 'http.response.status_code': 200 } });
  t.match(named('payments-api', 'PSP putCharge'), [{ parentSpanId: request!.spanId }]);
  const queries = named('payments-api', 'PostgreSQL');
  t.ok(
    queries.some((one) => String(one.attributes['db.query.text']).includes('insert into payments (')),
    'the statement that creates the payment',
  );
  t.same([...new Set(queries.map((one) => one.parentSpanId))], [request!.spanId]);
  const [publication] = named('payments-api', 'publish payment.created');
  t.match(publication, { parentSpanId: request!.spanId, attributes: { 'payment.id': payment.id } });
  t.match(named('payments-dispatcher', 'deliver webhook'), [
    {
      parentSpanId: request!.spanId,
      attributes: { 'delivery.attempt': 1, 'delivery.state': 'delivered', 'http.response.status_code': 200 },
    },
  ]);
  const secrets = [store.token, 'test-admin-key', 'payer@personal', 'two-blue-shirts', 'in-the-query', 'pp_'];
  for (const secret of [...secrets, 'Bearer', 'whsec_', receiver.url])
    t.notOk(collector.text().includes(secret), 'no secret is sent');
});
