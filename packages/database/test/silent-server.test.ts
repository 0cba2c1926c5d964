import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { createTestDatabase } from '@payments/testing/database';
import { sql } from 'kysely';
import t from 'tap';
import { connect } from '../src/connection.ts';
import { DatabaseUnavailable } from '../src/errors.ts';

t.test('a silent host is unavailable, and is used again when it is back', async (t) => {
  const { url, drop } = await createTestDatabase();
  const target = new URL(url);
  let silent = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connectTcp(Number(target.port), target.hostname);
    for (const socket of [client, server]) sockets.add(socket.on('error', () => {}));
    client.on('data', (data) => silent || server.write(data));
    server.on('data', (data) => silent || client.write(data));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const db = connect(through.href, { poolSize: 1, statementTimeoutMs: 100 });
  t.teardown(async () => {
    await db.destroy();
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await drop();
  });

  const ask = (text: string) => sql<{ said: string }>`select ${text}::text as said`.execute(db);
  t.equal((await ask('before')).rows[0]?.said, 'before');
  silent = true;
  await t.rejects(ask('during'), DatabaseUnavailable);
  silent = false;
  t.equal((await ask('again')).rows[0]?.said, 'again');
  const since = performance.now();
  const inTransaction = db.transaction().execute(async (trx) => {
    silent = true;
    await sql`select 1`.execute(trx);
  });
  await t.rejects(inTransaction, DatabaseUnavailable);
  t.ok(performance.now() - since < 2_000, 'a rollback is not waited for, too');
  silent = false;
  t.equal((await ask('after')).rows[0]?.said, 'after', 'on a new connection');
});
