import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOwnNats } from '@payments/testing/nats';
import { startProcessSystem } from '@payments/testing/process-system';
import { startReceiver } from '@payments/testing/receiver';
import { startTraceReceiver } from '@payments/testing/trace-receiver';
import t from 'tap';
import { isTracingWanted } from '../src/settings.ts';

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

t.test(
  'the outbox keeps the trace: the process that publishes a killed API’s event continues it',
  async (t) => {
    const collector = await startTraceReceiver();
    t.teardown(collector.close);
    const receiver = await startReceiver();
    t.teardown(receiver.close);
    const nats = await startOwnNats();
    t.teardown(() => nats.remove());
    const system = await startProcessSystem({
      natsUrl: nats.url,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    t.teardown(system.stop);
    const store = await system.createStore();
    await nats.stop();
    await system.call('/api-public/payments', {
      token: store.token,
      headers: { traceparent: `00-${traceId}-${parentId}-01` },
      body: { amount: 10, webhookUrl: receiver.url },
    });
    await system.api.kill('SIGKILL');
    await nats.start();
    await receiver.waitFor(() => true, 30_000);
    await collector.until('the delivery’s span', (spans) =>
      spans.some((span) => span.name === 'deliver webhook' && span.traceId === traceId),
    );
    const published = collector.spans.filter(({ name }) => name === 'publish payment.created');
    t.match(published, [{ traceId, service: 'payments-dispatcher' }]);
  },
);

t.test('off by default: nothing of OpenTelemetry’s SDK is loaded', async (t) => {
  const told = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });`;
  const hook = `--import=data:text/javascript,${encodeURIComponent(told)}`;
  const folder = t.testdir();
  const loadedBy = (service: string) => {
    const main = fileURLToPath(new URL(`../../../services/${service}/src/main.ts`, import.meta.url));
    const args = ['--conditions=public-payments', hook, main];
    // It ends because settings are missing, after all its imports. A pipe could lose its last lines then.
    const file = join(folder, service);
    const output = openSync(file, 'w');
    spawnSync(process.execPath, args, {
      stdio: ['ignore', output, 'ignore'],
      env: { PATH: process.env.PATH },
    });
    closeSync(output);
    return readFileSync(file, 'utf8');
  };
  for (const service of ['api', 'dispatcher']) {
    const loaded = loadedBy(service);
    t.match(loaded, /packages\/tracing\/src\/tracing\.ts/, service);
    // prom-client depends on the API package, without the SDK.
    t.notMatch(loaded, /@opentelemetry\/(?!api)/);
  }
  const off = { OTEL_SDK_DISABLED: 'false', OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: 1 };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector' };
  t.equal(isTracingWanted(off), false);
  t.equal(isTracingWanted({ ...off, ...endpoint }), true);
  t.equal(isTracingWanted({ ...off, ...endpoint, OTEL_SDK_DISABLED: 'true' }), false);
  t.equal(isTracingWanted({ ...off, ...endpoint, OTEL_TRACES_EXPORTER: 'none' }), false);
  t.equal(isTracingWanted({ ...off, OTEL_TRACES_EXPORTER: 'otlp' }), true);
});

t.test('a trace receiver that is down delays nothing, and is logged', async (t) => {
  const system = await startProcessSystem({
    dispatchers: 0,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  });
  const store = await system.createStore();
  const { status } = await system.call('/api-public/payments', { token: store.token, body: { amount: 10 } });
  t.equal(status, 200);
  t.same(await system.api.kill('SIGTERM'), { code: 0, signal: null }, 'it ends well');
  await system.stop();
  t.ok(system.api.lines.some((line) => line.includes('traces could not be sent')));
});
