import { once } from 'node:events';
import { connect } from 'node:net';
import { apiSettings } from '@payments/api/settings';
import { freePort } from '@payments/local-servers/free-port';
import { callbackSecretOf } from '@payments/pix/callback';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { serviceSettings } from '@payments/testing/service-settings';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { startApi } from '../../src/api.ts';

/** `KEEP_ALIVE_SECONDS`: how long idle connections stay open, which a balancer must not outlast. */
const [panelPort, callbackPort] = [await freePort(), await freePort()];
const system = await startSystem({
  dispatcher: false,
  env: { KEEP_ALIVE_SECONDS: '3', PANEL_PORT: String(panelPort), PIX_CALLBACK_PORT: String(callbackPort) },
});
t.teardown(system.stop);
const local = (port: number) => `http://127.0.0.1:${port}`;

t.test('every listener says how long, and closes an idle connection afterwards', async (t) => {
  const told = async (url: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let received = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write('GET /nothing-here HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(received));
    t.match(await promise, /^HTTP\/1\.1 404 [\s\S]*\r\nKeep-Alive: timeout=3\r\n/i, url);
  };
  const listeners = [system.url, system.adminUrl, local(panelPort), local(callbackPort)];
  await Promise.all(listeners.map(told));
});

t.test('the callback’s own listener ends a connection with its answer while the process stops', async (t) => {
  const ports = { PORT: '0', ADMIN_PORT: '0', PANEL_PORT: '0', PIX_CALLBACK_PORT: '0' };
  const settings = readEnvironment(apiSettings, { ...system.env, ...ports });
  const api = await startApi(settings, createLogger('api', 'silent'));
  const head = `POST /pix-callback/${callbackSecretOf('default', 'secret')} HTTP/1.1\r\nHost: x\r\n`;
  let received = '';
  const socket = connect(api.callbackPort, '127.0.0.1', () => {
    socket.write(`${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
  });
  socket.on('data', (chunk) => {
    received += chunk;
  });
  await once(socket, 'data');
  t.match(received, /^HTTP\/1\.1 100 /, 'the request is under way');
  const stopped = api.close();
  socket.write('{}');
  await once(socket, 'close');
  t.match(received, /\r\nHTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/i);
  await stopped;
});

t.test('its bounds, and what it is without a setting', async (t) => {
  const surroundings = {
    databaseUrl: 'postgres://x/y',
    natsUrl: 'nats://x',
    bankUrl: local(9),
    publicUrl: local(9),
  };
  const read = (value: string) =>
    readEnvironment(apiSettings, { ...serviceSettings(surroundings), KEEP_ALIVE_SECONDS: value });
  t.equal(read('').KEEP_ALIVE_SECONDS, 72);
  for (const good of [1, 620, 3_600]) t.equal(read(String(good)).KEEP_ALIVE_SECONDS, good);
  for (const wrong of ['0', '-1', '3601', '1.5', '72s', 'forever'])
    t.throws(() => read(wrong), { message: /^KEEP_ALIVE_SECONDS / }, wrong);
});
