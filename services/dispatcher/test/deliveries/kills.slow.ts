import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { testNats } from '@payments/testing/nats';
import { startProcessSystem } from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { holdClaims } from './held-claims.ts';
import { openShop } from './scene.ts';
import { attemptsOnRecord, openSql } from './sql.ts';
import { watchReceiver } from './watched-receiver.ts';

// Each test starts a dispatcher process, kills it at one point, and starts the next one.
const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../packages/webhooks/test/fixtures/${name}`, import.meta.url));
const nats = await testNats();
t.teardown(nats.stop);
const system = await startProcessSystem({
  dispatchers: 0,
  natsUrl: nats.url,
  env: { NATS_STREAM: nats.stream, NODE_EXTRA_CA_CERTS: fixture('receiver-cert.pem') },
});
t.teardown(system.stop);
const sql = openSql(t, system.databaseUrl);
const shop = await openShop(system);

/** Ends the leases as ten seconds would. */
const letLeasesEnd = () => sql('update dispatchers set leased_until = now()');
const attemptsOf = (url: string) =>
  sql(
    `select delivery_id as id, number, stage, status_code as status from ${attemptsOnRecord} a
    where url = $1 order by 1, 2`,
    [url],
  );
t.test('killed between the POST and its record: only what was in flight is sent again', async (t) => {
  const receiver = await watchReceiver(t);
  const dispatcher = await system.startDispatcher();
  // An unproven endpoint has two attempts at a time.
  receiver.answerWith(() => {
    if (receiver.visits.length === 2) void dispatcher.kill('SIGKILL');
    return { instead: 'hang' };
  });
  const url = receiver.at('/');
  await shop.chargeMany(10, () => url);
  t.equal((await dispatcher.exited).signal, 'SIGKILL');
  const inFlight = new Set(receiver.visits.map(({ id }) => id));
  t.equal(inFlight.size, 2);

  receiver.answerWith(() => ({}));
  await letLeasesEnd();
  const next = await system.startDispatcher();
  await receiver.until(() => receiver.visits.length === 12);
  await eventually('the records', async () => (await attemptsOf(url)).length === 12 || undefined);
  for (const id of inFlight) {
    const [first, second, ...more] = receiver.visits.filter((visit) => visit.id === id);
    t.equal(first?.body, second?.body);
    t.same(more, []);
    t.match(
      (await attemptsOf(url)).filter((attempt) => attempt.id === id),
      [
        { number: 1, stage: 'lost', status: null },
        { number: 2, stage: null, status: 200 },
      ],
    );
  }
  t.equal(new Set(receiver.visits.map(({ id }) => id)).size, 10);
  await next.kill('SIGKILL');
});

t.test('killed between the claim and the POST: it is sent once', async (t) => {
  // The POST follows the TLS handshake; this server never responds to that.
  const deaf = createServer((socket) => socket.on('error', () => {}));
  deaf.listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  const { port } = deaf.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}/`;
  const dispatcher = await system.startDispatcher();
  const reached = once(deaf, 'connection');
  await shop.charge(url);
  const [socket] = await reached;
  t.match(await sql('select attempts, claimed_by from deliveries where url = $1', [url]), [
    { attempts: 1, claimed_by: String },
  ]);
  await dispatcher.kill('SIGKILL');
  socket.destroy();
  deaf.close();
  await once(deaf, 'close');

  const posts: string[] = [];
  const tls = {
    cert: readFileSync(fixture('receiver-cert.pem')),
    key: readFileSync(fixture('receiver-key.pem')),
  };
  const receiver = createHttpsServer(tls, (request, response) => {
    posts.push(String(request.headers['webhook-id']));
    request.resume();
    response.end();
  });
  receiver.listen(port, '127.0.0.1');
  await once(receiver, 'listening');
  t.teardown(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  await letLeasesEnd();
  const next = await system.startDispatcher();
  await eventually('its record', async () => (await attemptsOf(url)).length === 2 || undefined);
  t.match(await attemptsOf(url), [
    { number: 1, stage: 'lost' },
    { number: 2, status: 200 },
  ]);
  t.same(posts, [(await attemptsOf(url))[0].id]);
  await next.kill('SIGKILL');
});

t.test('killed as it claims a delivery, before that is committed: it is sent once', async (t) => {
  const receiver = await watchReceiver(t);
  const url = receiver.at('/');
  const dispatcher = await system.startDispatcher();
  const claims = await holdClaims(sql, system.databaseUrl);
  await shop.charge(url);
  await claims.untilClaimed();
  await dispatcher.kill('SIGKILL');
  await claims.endClaims();
  await claims.release();
  await claims.remove();
  const next = await system.startDispatcher();
  await receiver.until(() => receiver.visits.length === 1);
  await eventually('its record', async () => (await attemptsOf(url)).length === 1 || undefined);
  t.match(await attemptsOf(url), [{ number: 1, status: 200 }]);
  await next.kill('SIGKILL');
});
