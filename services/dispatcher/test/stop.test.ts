import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { readEnvironment } from '@payments/runtime/environment';
import { startFoundation } from '@payments/startup/foundation';
import { call } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { dispatcherMetrics } from '../src/health.ts';
import { startScans } from '../src/scans/start-scans.ts';
import { dispatcherSettings } from '../src/settings.ts';

t.test('connections on which no whole request comes do not keep the dispatcher from its end', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const dispatcher = await system.startDispatcher();
  const sockets = ['', 'GET /health/live HTTP/1.1\r\nHost: '].map((sent) => {
    const socket = connect(dispatcher.port, '127.0.0.1');
    if (sent !== '') socket.write(sent);
    return { connected: once(socket, 'connect'), closed: once(socket, 'close') };
  });
  for (const { connected } of sockets) await connected;
  t.match(await call(`http://127.0.0.1:${dispatcher.port}/health/live`), { status: 200 });
  await dispatcher.close();
  for (const { closed } of sockets) await closed;
});

/** A bank that answers nothing until the test ends it. */
async function silentBank(t: Test) {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => asked.resolve(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const end = async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  };
  t.teardown(() => server.listening && end());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: asked.promise, end };
}

t.test('scans that a bank keeps waiting do not keep the dispatcher from its end', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const bank = await silentBank(t);
  const settings = readEnvironment(dispatcherSettings, { ...system.env, PIX_URL: bank.url });
  const options = { name: 'test', log: pino({ level: 'silent' }), pixTimeoutMs: 600_000 };
  const foundation = await startFoundation(settings, options);
  const metrics = dispatcherMetrics(foundation.metrics, settings.REVIEW_TIMEOUT_SECONDS);
  const { context, events: connection } = foundation;
  const scans = startScans({ context, metrics, settings, connection });
  const response = await bank.asked;
  await scans.stop();
  t.notOk(response.destroyed, 'the scan still waits');
  await Promise.all([bank.end(), foundation.close()]);
});
