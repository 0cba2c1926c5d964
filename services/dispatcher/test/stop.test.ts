import { once } from 'node:events';
import { connect } from 'node:net';
import { call } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

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
