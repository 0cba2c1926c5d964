import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { connect } from '@payments/database/connection';
import { migrateToLatest } from '@payments/database/migrate';
import { call } from '@payments/testing/http';
import { startOwnNats } from '@payments/testing/nats';
import { startOwnPostgres } from '@payments/testing/postgres-server';
import { startProcess } from '@payments/testing/processes';
import { eventually } from '@payments/testing/system';
import pg from 'pg';
import t from 'tap';
import { freePort } from './dispatcher-processes.ts';

/** Both services and the migration when their servers are missing, or unsuitable. */
const mains = {
  api: new URL('../../api/src/main.ts', import.meta.url),
  dispatcher: new URL('../src/main.ts', import.meta.url),
  migration: new URL('../../api/src/migrate.ts', import.meta.url),
};
const [postgres, nats] = await Promise.all([startOwnPostgres(), startOwnNats()]);
t.teardown(() => Promise.all([postgres.remove(), nats.remove()]));
const services = ['api', 'dispatcher'] as const;

async function start(
  name: keyof typeof mains,
  databaseUrl: string,
  args: string[] = [],
  more: Record<string, string> = {},
) {
  const port = await freePort();
  const env = {
    PORT: String(port),
    ...(name === 'api' ? { ADMIN_PORT: '0' } : {}),
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    NATS_URL: nats.url,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ADMIN_KEY: 'test-admin-key',
    PIX_URL: 'http://127.0.0.1:1',
    PIX_CLIENT_ID: 'client',
    PIX_CLIENT_SECRET: 'secret',
    PIX_KEY: 'pix@example.com',
    ...more,
  };
  const process = startProcess(fileURLToPath(mains[name]), env, args);
  t.teardown(() => process.kill('SIGKILL'));
  return Object.assign(process, {
    readiness: () => call(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined),
    /** Its log, without what differs from run to run. */
    said: () => process.lines.map((line) => (line.startsWith('{') ? String(JSON.parse(line).msg) : line)),
  });
}

async function emptyDatabase(): Promise<string> {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await sql(postgres.url, `create database ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function sql(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function migrated(url: string): Promise<string> {
  const db = connect(url);
  await migrateToLatest(db).finally(() => db.destroy());
  return url;
}

const ended = { code: 0, signal: null };

for (const service of services) {
  t.test(`${service}: a schema older than the code is refused with one line`, async (t) => {
    const process = await start(service, await emptyDatabase());
    t.same(await process.exited, { code: 1, signal: null });
    t.equal(process.lines.length, 1);
    const lacks = /^SchemaOutdated: the database schema lacks 0001_initial.*: run the migrations$/;
    t.match(JSON.parse(process.lines[0]!), { level: 'fatal', service, msg: lacks });
  });

  t.test(`${service}: a schema newer than the code is accepted, as in a rollout`, async (t) => {
    const url = await migrated(await emptyDatabase());
    await sql(url, "insert into kysely_migration values ('9999_of_the_next_release', now())");
    const process = await start(service, url);
    await t.resolves(process.ready);
    t.same(await process.kill('SIGTERM'), ended);
  });

  t.test(`${service}: without NATS it starts, logs that, and connects when NATS starts`, async (t) => {
    const url = await migrated(await emptyDatabase());
    await nats.stop();
    const process = await start(service, url);
    await process.waitForLine(/NATS can’t be reached; trying on/);
    await process.ready;
    t.match(await process.readiness(), { status: 200, body: { nats: 'unavailable' } });
    await nats.start();
    await process.waitForLine(/connected to NATS/);
    await eventually('readiness to say so', async () =>
      (await process.readiness())?.body.nats === 'connected' ? true : undefined,
    );
    t.same(await process.kill('SIGTERM'), ended);
  });
}

/** A way to a server that breaks once, when `at` pieces of what clients send have come. */
async function startBreaking(url: string, at: number) {
  let pieces = 0;
  const server = createServer((client) => {
    const upstream = createConnection({ port: Number(new URL(url).port), host: '127.0.0.1' });
    client.on('data', (piece) => {
      pieces += 1;
      if (pieces !== at) return void upstream.write(piece);
      client.resetAndDestroy();
      return void upstream.destroy();
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => {});
      socket.on('close', () => [client, upstream].map((one) => one.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return { url: through.href, pieces: () => pieces, close: () => server.close() };
}

const atOnce = 4;

// The dispatcher's start has the same steps at the database.
t.test('wherever a start loses the database, it goes on', async (t) => {
  const url = await migrated(await emptyDatabase());
  const startsAt = async (at: number) => {
    const way = await startBreaking(url, at);
    const process = await start('api', way.url);
    await process.ready.catch(() => t.fail(`broken at piece ${at}: ${process.said().at(-1)}`));
    const wasBroken = way.pieces() >= at;
    await process.kill('SIGKILL');
    way.close();
    return wasBroken;
  };
  for (let from = 1; ; from += atOnce) {
    const places = Array.from({ length: atOnce }, (_, index) => from + index);
    const broken = await Promise.all(places.map(startsAt));
    if (broken.includes(false)) return t.ok(from > atOnce, `all of ${from} pieces were tried`);
  }
});

t.test('the migration waits for the database, prints what it did, and may run again', async (t) => {
  const url = await emptyDatabase();
  await postgres.stop();
  const first = await start('migration', url);
  const line = await first.waitForLine(/waiting for the database/);
  t.match(JSON.parse(line), { level: 'warn', service: 'migration', reason: 'ECONNREFUSED' });
  await postgres.start();
  t.same(await first.exited, ended);
  t.ok(first.lines.some((said) => /0001_initial.*applied/.test(said)));
  const second = await start('migration', url);
  t.same(await second.exited, ended);
  t.same(second.said(), ['the schema is up to date']);
  await sql(url, "insert into kysely_migration values ('9999_of_the_next_release', now())");
  const older = await start('migration', url);
  t.same(await older.exited, ended, 'an older release leaves a newer schema unchanged');
});

t.test('the init container of a service waits for the migration, and changes nothing', async (t) => {
  const url = await emptyDatabase();
  const waiting = await start('migration', url, ['--wait']);
  await waiting.waitForLine(/waiting for the migrations/);
  t.same(await (await start('migration', url)).exited, ended);
  t.same(await waiting.exited, ended);
});

t.test(
  'the migration gives the services’ role its rights, and waits for nobody that is not there',
  async (t) => {
    const url = await emptyDatabase();
    const unknown = await start('migration', url, [], { SERVICES_ROLE: 'nobody' });
    t.same(await unknown.exited, { code: 1, signal: null });
    const refusal = 'configuration: SERVICES_ROLE: the server has no role of this name';
    t.ok(unknown.said().includes(refusal), unknown.said().join());
    await sql(url, `create role shop login password 'shop'`);
    const asShop = Object.assign(new URL(url), { username: 'shop', password: 'shop' }).href;
    const waiting = await start('migration', asShop, ['--wait']);
    await waiting.waitForLine(/waiting for the migrations.*SERVICES_ROLE|SERVICES_ROLE.*waiting/);
    t.same(await (await start('migration', url, [], { SERVICES_ROLE: 'shop' })).exited, ended);
    t.same(await waiting.exited, ended);
    const inProduction = { NODE_ENV: 'production', ADMIN_KEY: 'x'.repeat(20), SECRETS_KEY: 'x'.repeat(32) };
    for (const service of services) {
      const running = await start(service, asShop, [], inProduction);
      await t.resolves(running.ready);
      t.same(await running.kill('SIGTERM'), ended);
    }
  },
);

t.test('the waiting migration ends on a signal', async (t) => {
  const waiting = await start('migration', await emptyDatabase(), ['--wait']);
  await waiting.waitForLine(/waiting for the migrations/);
  t.same(await waiting.kill('SIGTERM'), { code: 1, signal: null });
});

for (const service of services) {
  t.test(
    `${service}: without PostgreSQL it waits, logs that, and starts when PostgreSQL starts`,
    async (t) => {
      const url = await migrated(await emptyDatabase());
      await postgres.stop();
      const [process, impatient] = [await start(service, url), await start(service, url)];
      for (const one of [process, impatient]) {
        const line = await one.waitForLine(/waiting for the database/);
        t.match(JSON.parse(line), { level: 'warn', service, reason: 'ECONNREFUSED' });
      }
      t.same(await impatient.kill('SIGTERM'), ended, 'a waiting service stops on a signal');
      t.equal(impatient.said().at(-1), 'stopped');
      await postgres.start();
      await t.resolves(process.ready);
      t.same(await process.kill('SIGTERM'), ended);
    },
  );
}
