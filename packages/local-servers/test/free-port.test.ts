import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { freePort } from '../src/free-port.ts';

t.test('a free port can be listened on, and is given to one caller only', async (t) => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  t.equal(new Set(ports).size, 50);
  const [port] = ports;
  const server = createServer().listen(port, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const reservation = createSocket('udp4').bind({ port: port!, address: '127.0.0.1', exclusive: true });
  await t.rejects(once(reservation, 'listening'), { code: 'EADDRINUSE' }, 'by any process');
});
