import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import t from 'tap';

/** A server that accepts nothing until `gate` is notified, as while a caller keeps its event loop busy. */
const busyServer = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { createServer } = require('node:http');
  import(workerData.listen).then(async ({ listen }) => {
    const server = createServer();
    const app = { server, listen: (at) => new Promise((resolve) => server.listen(at, resolve)) };
    parentPort.postMessage(await listen(app, { port: 0, host: '127.0.0.1' }));
    setImmediate(() => {
      Atomics.wait(workerData.gate, 0, 0);
      server.close();
    });
  });
`;

const connections = 1_000;
const kernelKeeps =
  process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 128;

t.test('a thousand connections at once are kept while the server is busy', async (t) => {
  if (kernelKeeps < connections) return t.pass(`this kernel keeps ${kernelKeeps} at most`);
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const listen = import.meta.resolve('../src/listen.ts');
  const server = new Worker(busyServer, { eval: true, workerData: { listen, gate } });
  const [port] = await once(server, 'message');
  const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1'));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  t.pass('none was dropped, to be tried again a second later');
  for (const socket of sockets) socket.destroy();
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await once(server, 'exit');
});
