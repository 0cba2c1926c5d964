import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startOwnNats } from '@payments/testing/nats';
import { startProcessSystem } from '@payments/testing/process-system';
import { startReceiver } from '@payments/testing/receiver';
import { startTraceReceiver } from '@payments/testing/trace-receiver';
import t from 'tap';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

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
    await receiver.waitFor(() => true);
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
