import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { startMailServer } from '../src/mail-server.ts';

t.test('a client that breaks off in the body of a mail has sent none, and the server goes on', async (t) => {
  const server = await startMailServer();
  t.teardown(server.close);
  const begin = async (...lines: string[]) => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'data');
    for (const line of ['HELO a', 'MAIL FROM:<a@example.com>', 'RCPT TO:<b@example.com>', 'DATA']) {
      socket.write(`${line}\r\n`);
      await once(socket, 'data');
    }
    socket.write(lines.join('\r\n'));
    return socket;
  };
  const broken = await begin('Subject: half', '', 'a');
  broken.resetAndDestroy();
  await begin('Subject: whole', '', 'a', '.', '');
  await server.waitFor(({ subject }) => subject === 'whole');
  t.equal(server.received.length, 1);
});
