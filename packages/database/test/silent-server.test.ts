import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { createTestDatabase } from '@payments/testing/database';
import { sql } from 'kysely';
import t from 'tap';
import { connect } from '../src/connection.ts';
import { DatabaseUnavailable } from '../src/errors.ts';
import { watchConnections } from '../src/failover.ts';
import type { WritableClient } from '../src/servers.ts';

t.test('a look for the server that writes may fail before it begins, and is repeated', async (t) => {
  let looks = 0;
  const seen = Promise.withResolvers<void>();
  const watch = watchConnections(['postgres://one'], () => {
    looks += 1;
    if (looks === 2) seen.resolve();
    throw new Error('EMFILE: the certificate could not be read');
  });
  t.teardown(watch.stop);
  const waiting = {
    server: 'one',
    askedAt: performance.now() - 10_000,
    cut: () => t.fail('nothing is known'),
  };
  watch.add(waiting as unknown as WritableClient);
  // The timer of the looks keeps no process alive.
  const alive = setInterval(() => {}, 1_000);
  await seen.promise;
  clearInterval(alive);
});

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
  const options = { poolSize: 1, statementTimeoutMs: 2_000 };
  const [db, other] = [connect(through.href, options), connect(through.href, options)];
  t.teardown(async () => {
    await Promise.all([db.destroy(), other.destroy()]);
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await drop();
  });

  const ask = (text: string, of = db) => sql<{ said: string }>`select ${text}::text as said`.execute(of);
  t.equal((await ask('before')).rows[0]?.said, 'before');
  silent = true;
  await t.rejects(ask('during'), DatabaseUnavailable);
  silent = false;
  t.equal((await ask('again')).rows[0]?.said, 'again');
  t.equal((await ask('before', other)).rows[0]?.said, 'before');
  let [twice, waitedTwice]: [Promise<unknown>, boolean] = [Promise.resolve(), false];
  const inTransaction = db.transaction().execute(async (trx) => {
    silent = true;
    twice = ask('once', other)
      .catch(() => ask('twice', other))
      .catch(() => {
        waitedTwice = true;
      });
    await sql`select 1`.execute(trx);
  });
  await t.rejects(inTransaction, DatabaseUnavailable);
  t.notOk(waitedTwice, 'a rollback is not waited for, too');
  await twice;
  silent = false;
  t.equal((await ask('after')).rows[0]?.said, 'after', 'on a new connection');
});
