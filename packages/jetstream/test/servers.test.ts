import { spawn } from 'node:child_process';
import { freePort } from '@payments/local-servers/free-port';
import { natsProgram } from '@payments/local-servers/nats-program';
import pino from 'pino';
import t, { type Test } from 'tap';
import { connectEvents, serverOptions } from '../src/connection.ts';

const cases: [url: string, options: object][] = [
  ['nats://localhost', { servers: ['localhost'] }],
  ['nats://a:4222, nats://[::1]:4223', { servers: ['a:4222', '[::1]:4223'] }],
  ['nats://svc:s3cret@a:4222,nats://b', { servers: ['a:4222', 'b'], user: 'svc', pass: 's3cret' }],
  ['nats://a,nats://sv%40c:p%3Aw@b', { servers: ['a', 'b'], user: 'sv@c', pass: 'p:w' }],
  ['nats://t0ken@a', { servers: ['a'], token: 't0ken' }],
  ['tls://svc:s3cret@a', { servers: ['a'], user: 'svc', pass: 's3cret', tls: {} }],
];
for (const [url, options] of cases) t.same(serverOptions(url), options, url);

const program = await natsProgram().catch(() => undefined);

/**
 * Starts a server that requires credentials.
 * @returns its address
 */
async function startServer(t: Test, flags: string[]): Promise<string> {
  const port = await freePort();
  const server = spawn(program!, ['-a', '127.0.0.1', '-p', String(port), ...flags], { stdio: 'ignore' });
  t.teardown(() => server.kill('SIGKILL'));
  return `127.0.0.1:${port}`;
}

function connectTo(t: Test, url: string) {
  const refused = Promise.withResolvers<unknown>();
  const log = pino({ level: 'warn' }, { write: (line) => refused.resolve(JSON.parse(line)) });
  const events = connectEvents({ url, stream: 'PAYMENTS', name: 'test', log });
  t.teardown(() => events.close());
  return { events, refused: refused.promise, connected: new Promise<void>((up) => events.onReconnect(up)) };
}

t.test(
  'user and password, or a token, connect to a server that requires them',
  { skip: !program },
  async (t) => {
    const byPassword = await startServer(t, ['--user', 'svc', '--pass', 's3cret']);
    await connectTo(t, `nats://svc:s3cret@${byPassword}`).connected;
    const byToken = await startServer(t, ['--auth', 't0ken']);
    await connectTo(t, `nats://t0ken@${byToken}`).connected;
  },
);

t.test('a server that can’t be reached is told of, also where the reason has no code', async (t) => {
  t.match(await connectTo(t, 'nats://t0ken%ff@localhost').refused, { err: { type: 'URIError' } });
});

t.test('with tls:// the client refuses a server without TLS', { skip: !program }, async (t) => {
  const open = await startServer(t, []);
  await connectTo(t, `nats://${open}`).connected;
  const { events, refused } = connectTo(t, `tls://svc:s3cret@${open}`);
  t.match(await refused, { err: { code: 'SERVER_OPT_NA' } });
  t.equal(events.isConnected(), false);
});
