import { createTestDatabase } from '@payments/testing/database';
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import { type ConnectionOptions, connect, type Database } from '../src/connection.ts';
import { DatabaseUnavailable } from '../src/errors.ts';
import { noTimeout } from '../src/migrate.ts';
import { addStore } from './rows.ts';

async function open(t: Test, hosts?: (host: string) => string) {
  const { url, drop } = await createTestDatabase();
  const { host } = new URL(url);
  const db = connect(hosts ? url.replace(host, hosts(host)) : url, { poolSize: 2 });
  t.teardown(async () => {
    await db.destroy();
    await drop();
  });
  return db;
}

const sessionOf = async (db: Database) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;

t.test('a connection that takes no more writes is unavailable once, and is replaced', async (t) => {
  const db = await open(t);
  const before = await sessionOf(db);
  await sql`set default_transaction_read_only = on`.execute(db);
  await t.rejects(addStore(db), DatabaseUnavailable);
  t.ok(await addStore(db));
  t.not(await sessionOf(db), before);
});

t.test('a server that takes no writes is not connected to', async (t) => {
  const { url, drop } = await createTestDatabase();
  t.teardown(drop);
  const first = connect(url, { poolSize: 1 });
  const name = new URL(url).pathname.slice(1);
  await sql`alter database ${sql.id(name)} set default_transaction_read_only = on`.execute(first);
  await first.destroy();
  const db = connect(url);
  t.teardown(() => db.destroy());
  await t.rejects(sessionOf(db), { name: 'DatabaseUnavailable', cause: { code: '25006' } });
});

t.test('a session has our settings, whatever the server’s, the URL’s and the role’s are', async (t) => {
  const { url, drop } = await createTestDatabase();
  const name = new URL(url).pathname.slice(1);
  const first = connect(url, { poolSize: 1 });
  for (const [setting, value] of [
    ['timezone', 'America/Sao_Paulo'],
    ['datestyle', 'SQL, DMY'],
    ['default_transaction_isolation', 'serializable'],
    ['jit', 'on'],
  ] as const)
    await sql`alter database ${sql.id(name)} set ${sql.id(setting)} = ${sql.lit(value)}`.execute(first);
  await first.destroy();
  const db = connect(`${url}?options=-c%20work_mem%3D5MB%20-c%20timezone%3DAsia%2FTokyo`);
  t.teardown(async () => {
    await db.destroy();
    await drop();
  });
  const { rows } = await sql`select current_setting('timezone') as timezone, current_setting('jit') as jit,
    current_setting('transaction_isolation') as isolation, current_setting('work_mem') as memory,
    timestamptz '2026-11-28T03:00:00Z' as at`.execute(db);
  const at = new Date('2026-11-28T03:00:00Z');
  t.strictSame(rows, [{ timezone: 'UTC', jit: 'off', isolation: 'read committed', memory: '5MB', at }]);
});

t.test('a session without a limit of time has none, whatever the database’s and the URL’s are', async (t) => {
  const { url, drop } = await createTestDatabase();
  t.teardown(drop);
  const limitOf = async (options: ConnectionOptions, address = url) => {
    await using db = connect(address, options);
    return (await sql`select current_setting('statement_timeout') as "limit"`.execute(db)).rows;
  };
  await using first = connect(url, noTimeout);
  const name = new URL(url).pathname.slice(1);
  await sql`alter database ${sql.id(name)} set statement_timeout = '20s'`.execute(first);
  t.same(await limitOf(noTimeout), [{ limit: '0' }]);
  t.same(await limitOf(noTimeout, `${url}?options=-c%20statement_timeout%3D5s`), [{ limit: '0' }]);
  t.same(await limitOf({}), [{ limit: '30s' }], 'others have theirs');
});

for (const [what, hosts] of [
  ['the first of two hosts is down', (host: string) => `127.0.0.1:1,${host}`],
  ['the second of two hosts is down', (host: string) => `${host},127.0.0.1:1`],
] as const) {
  t.test(what, async (t) => {
    const db = await open(t, hosts);
    const sessions = await Promise.all([sessionOf(db), sessionOf(db)]);
    t.ok(sessions.every((pid) => Number(pid) > 0));
  });
}

t.test('all hosts are down', async (t) => {
  const db = await open(t, () => '127.0.0.1:1,127.0.0.1:2');
  await t.rejects(sessionOf(db), DatabaseUnavailable);
});

for (const [what, code] of [
  ['has no space left', '53100'],
  ['can’t read from its disk', '58030'],
  ['misses a file', '58P01'],
] as const)
  t.test(`a server that ${what} is unavailable`, async (t) => {
    const db = await open(t);
    const fails = sql.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`);
    await t.rejects(fails.execute(db), { name: 'DatabaseUnavailable', cause: { code } });
    t.ok(await sessionOf(db));
  });

type Refusal = { refuse: (name: string) => string; allow: (name: string) => string; code: string };
const refusals: Record<string, Refusal> = {
  'takes no connections': {
    refuse: (name) => `alter database ${name} allow_connections false`,
    allow: (name) => `alter database ${name} allow_connections true`,
    code: '55000',
  },
  'has another name': {
    refuse: (name) => `alter database ${name} rename to ${name}_away`,
    allow: (name) => `alter database ${name}_away rename to ${name}`,
    code: '3D000',
  },
  'lets the role in no more': {
    refuse: (name) => `alter role ${name} nologin`,
    allow: (name) => `alter role ${name} login`,
    code: '28000',
  },
  'wants another password': {
    refuse: (name) => `alter role ${name} password 'another'`,
    allow: (name) => `alter role ${name} password 'one'`,
    code: '28P01',
  },
  'keeps the role from connecting': {
    refuse: (name) => `revoke connect on database ${name} from public`,
    allow: (name) => `grant connect on database ${name} to public`,
    code: '42501',
  },
};
for (const [what, { refuse, allow, code }] of Object.entries(refusals)) {
  t.test(`a database that ${what} for a while is unavailable`, async (t) => {
    const { url, drop } = await createTestDatabase();
    const name = new URL(url).pathname.slice(1);
    const server = connect(Object.assign(new URL(url), { pathname: '/postgres' }).href, { poolSize: 1 });
    const tell = (statement: string) => sql.raw(statement).execute(server);
    await tell(`create role ${name} login password 'one'`);
    const db = connect(Object.assign(new URL(url), { username: name, password: 'one' }).href);
    t.teardown(async () => {
      await db.destroy();
      await drop();
      await tell(`drop role ${name}`);
      await server.destroy();
    });
    await tell(refuse(name));
    await t.rejects(sessionOf(db), { name: 'DatabaseUnavailable', cause: { code } });
    await tell(allow(name));
    t.ok(await sessionOf(db));
  });
}
