import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import tls from 'node:tls';
import t, { type Test } from 'tap';
import { createAddressPolicy } from '../src/addresses.ts';
import { createSender } from '../src/sender.ts';
import { always, answer, listen, listenWith, onRequest } from './listener.ts';

const TIMEOUT_MS = 2_000;

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.pem`, import.meta.url), 'utf8');

/** Self-signed, for receiver.test and 127.0.0.1. */
const cert = fixture('receiver-cert');
const key = fixture('receiver-key');
/** The same with an RSA key, as key exchanges by `DHE-RSA` need. */
const rsa = { cert: fixture('receiver-rsa-cert'), key: fixture('receiver-rsa-key') };

function sender(t: Test, timeoutMs = 20_000) {
  const sender = createSender({
    policy: createAddressPolicy(['127.0.0.0/8']),
    timeoutMs,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  t.teardown(() => sender.close());
  return (url: string) => sender.send({ url, headers: {}, body: '{}' });
}

const secure = (t: Test, options: tls.TlsOptions = {}) =>
  listenWith(t, tls.createServer({ cert, key, ...options }), 'secureConnection', always(answer(200, 'ok')));

t.test('an untrusted certificate is a failure, and nothing is sent', async (t) => {
  const receiver = await secure(t);
  const result = await sender(t)(`https://receiver.test:${receiver.port}/`);
  t.match(result, { outcome: 'failed', stage: 'tls', code: 'system', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  t.equal(receiver.received(), '');
  await receiver.idle();
});

t.test('plain text on a TLS port, and a broken handshake, are failures', async (t) => {
  const table: [what: string, failure: object, serve: (socket: Socket) => void][] = [
    [
      'plain HTTP on a TLS port',
      { code: 'system', detail: /^ERR_SSL_/ },
      (socket) => socket.end(answer(400)),
    ],
    ['resets', { code: 'connection_reset' }, (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['closes', { code: 'connection_reset' }, (socket) => socket.once('data', () => socket.end())],
  ];
  for (const [what, failure, serve] of table) {
    const receiver = await listen(t, serve);
    const result = await sender(t)(`https://receiver.test:${receiver.port}/`);
    t.match(result, { outcome: 'failed', stage: 'tls', ...failure }, what);
  }
});

t.test('a TLS handshake that hangs or drips is cut at the deadline', async (t) => {
  const behind = await secure(t);
  const drip = (socket: Socket) => {
    const upstream = socket.pipe(connect(behind.port, '127.0.0.1'));
    upstream.on('error', () => {}).on('readable', () => {});
    const timer = setInterval(() => socket.write(upstream.read(1) ?? ''), 20);
    socket.on('close', () => clearInterval(timer));
  };
  for (const serve of [() => {}, drip]) {
    const receiver = await listen(t, serve);
    const result = await sender(t, TIMEOUT_MS)(`https://receiver.test:${receiver.port}/`);
    t.match(result, { outcome: 'failed', stage: 'timeout', code: 'not_connected_in_time' });
    await receiver.idle();
  }
  t.equal(behind.received(), '');
});

t.test('with a trusted certificate', async (t) => {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, cert, rsa.cert]);
  t.teardown(() => tls.setDefaultCACertificates(before));

  t.test('the POST arrives over HTTP/1.1, with the name from the URL', async (t) => {
    const receiver = await secure(t, { ALPNProtocols: ['h2', 'http/1.1'] });
    const send = sender(t);
    for (let i = 0; i < 3; i++) {
      const result = await send(`https://receiver.test:${receiver.port}/hook`);
      t.match(result, { outcome: 'answered', status: 200, responseExcerpt: 'ok' });
      // The connection is free again after this turn.
      await setImmediate();
    }
    t.match(receiver.received(), `POST /hook HTTP/1.1\r\nhost: receiver.test:${receiver.port}\r\n`);
    t.equal(receiver.connections.length, 1);
  });

  t.test('a flood is cut at the limit, too', async (t) => {
    const extensions = ';a=b'.repeat(16_384);
    const server = tls.createServer({ cert, key });
    const receiver = await listenWith(t, server, 'secureConnection', (socket) => {
      const pour = () => {
        while (!socket.destroyed && socket.bytesWritten < 1 << 27 && socket.write(extensions));
      };
      socket.on('drain', pour);
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1');
        pour();
      });
    });
    const result = await sender(t)(`https://receiver.test:${receiver.port}/`);
    t.match(result, { outcome: 'failed', stage: 'response', code: 'response_too_long' });
  });

  t.test('an address in the URL must be in the certificate', async (t) => {
    const receiver = await secure(t);
    t.match(await sender(t)(`https://127.0.0.1:${receiver.port}/`), { outcome: 'answered', status: 200 });
  });

  t.test('a certificate for another name is a failure', async (t) => {
    const receiver = await secure(t);
    const result = await sender(t)(`https://another.test:${receiver.port}/`);
    t.match(result, {
      outcome: 'failed',
      stage: 'tls',
      code: 'system',
      detail: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    t.equal(receiver.received(), '');
  });

  t.test('an outdated protocol is a failure', async (t) => {
    const receiver = await secure(t, {
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'ALL:@SECLEVEL=0',
    });
    const result = await sender(t)(`https://receiver.test:${receiver.port}/`);
    t.match(result, { outcome: 'failed', stage: 'tls', code: 'system', detail: /^ERR_SSL_/ });
  });

  t.test('a key exchange whose prime the receiver chooses is a failure; one by a curve works', async (t) => {
    const table: [ciphers: string, result: object][] = [
      ['DHE', { outcome: 'failed', stage: 'tls' }],
      ['ECDHE', { outcome: 'answered', status: 200 }],
    ];
    for (const [ciphers, expected] of table) {
      const receiver = await secure(t, { ...rsa, maxVersion: 'TLSv1.2', dhparam: 'auto', ciphers });
      t.match(await sender(t)(`https://receiver.test:${receiver.port}/`), expected, ciphers);
    }
  });
});
