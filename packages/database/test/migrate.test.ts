import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { postgresUrl } from '@payments/testing/postgres-server';
import pg from 'pg';
import t from 'tap';
import { connect } from '../src/connection.ts';
import { DatabaseUnavailable, SchemaOutdated } from '../src/errors.ts';
import { assertSchemaCurrent, migrateToLatest } from '../src/migrate.ts';

const command = fileURLToPath(new URL('../../../scripts/src/migrate.ts', import.meta.url));

async function emptyDatabase(t: { teardown(end: () => Promise<void>): void }): Promise<string> {
  const url = new URL(await postgresUrl());
  const name = `empty_${randomBytes(6).toString('hex')}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: url.href.replace(/\/[^/]*$/, '/postgres') });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await run(`create database ${name}`);
  t.teardown(() => run(`drop database if exists ${name} with (force)`));
  return url.href.replace(/\/[^/]*$/, `/${name}`);
}

async function migrateInProcess(url: string) {
  const child = spawn(process.execPath, ['--conditions=public-payments', command], {
    env: { ...process.env, DATABASE_URL: url },
  });
  const closed = once(child, 'close');
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { output, errors, code: code as number };
}

const migrations = readdirSync(new URL('../migrations/', import.meta.url))
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.replace('.sql', ''))
  .sort();

t.test('of two processes that migrate at once, one applies and both succeed', async (t) => {
  const url = await emptyDatabase(t);
  const both = await Promise.all([migrateInProcess(url), migrateInProcess(url)]);
  for (const { code, errors } of both) {
    t.equal(code, 0, errors);
    t.equal(errors, '');
  }
  const applied = both.map(({ output }) => /applied 0001_initial/.test(output));
  t.same(applied.filter(Boolean), [true], 'exactly one of them applied the migration');
});

t.test('eight connections that migrate at once together apply each migration once', async (t) => {
  const url = await emptyDatabase(t);
  const pools = Array.from({ length: 8 }, () => connect(url, { poolSize: 2 }));
  const applied = await Promise.all(pools.map(migrateToLatest));
  t.ok(applied.flat().length > 0);
  t.equal(applied.flat().length, new Set(applied.flat()).size);
  await Promise.all(pools.map(assertSchemaCurrent));
  await Promise.all(pools.map((pool) => pool.destroy()));
});

t.test('a missing migration is an error that says what to do', async (t) => {
  const db = connect(await emptyDatabase(t));
  t.teardown(() => db.destroy());
  await t.rejects(
    assertSchemaCurrent(db),
    new SchemaOutdated(`the database schema lacks ${migrations.join(', ')}: run the migrations`),
  );
  t.same(await migrateToLatest(db), migrations);
  await assertSchemaCurrent(db);
  t.same(await migrateToLatest(db), [], 'there is nothing left to do');
});

t.test('a missing database is unavailable, not outdated', async (t) => {
  const db = connect('postgres://nobody@127.0.0.1:1/none');
  t.teardown(() => db.destroy());
  await t.rejects(assertSchemaCurrent(db), new DatabaseUnavailable('the database is unavailable'));
});
