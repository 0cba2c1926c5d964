import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import t from 'tap';
import { assertPortsFree } from '../src/free-ports.ts';

t.test('the error for a port in use names the port and its variable', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ports: [string, number][] = [['API_PORT', port]];
  await t.rejects(assertPortsFree(ports), {
    name: 'StartError',
    message: `port ${port} is taken: end what listens on it, or set API_PORT to another port`,
  });
  server.close();
  await once(server, 'close');
  await t.resolves(assertPortsFree(ports));
});
