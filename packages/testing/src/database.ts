import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@payments/database/connection';
import { migrateToLatest } from '@payments/database/migrate';
import { grantToServices } from '@payments/database/services-role';
import pg from 'pg';
import { setPooledDefaults } from './pooled-defaults.ts';
import { postgresUrl } from './postgres-server.ts';
import { inSession, query } from './sessions.ts';

export type TestDatabase = {
  /** As the owner of the schema. */
  url: string;
  /** As the services' own role, like in production; behind a pooler, which knows one role, as the owner. */
  servicesUrl: string;
  drop(): Promise<void>;
};

/**
 * Creates a database with the current schema and no rows, as a clone of a template in milliseconds.
 * @param on URL of the server; this test run's server by default, through its pooler if it has one
 */
export async function createTestDatabase(on?: string): Promise<TestDatabase> {
  const server = on ?? (await postgresUrl());
  const [template, name] = [await templateOn(server), `test_${randomBytes(6).toString('hex')}`];
  // Copied as files, it takes two thirds of the processor time.
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = withDatabase(server, name);
  const pooler = on === undefined && process.env.TEST_POSTGRES_POOLER;
  if (pooler) await setPooledDefaults(url);
  return {
    url: pooler ? withDatabase(pooler, name) : url,
    servicesUrl: pooler ? withDatabase(pooler, name) : urlOfServices(url),
    drop: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

const pools = new Map<string, pg.Pool>();

/** Runs a statement on a connection that this process keeps: a test run makes and drops hundreds of databases. */
async function onServer(server: string, statement: string): Promise<void> {
  const pool = pools.get(server) ?? openPool(server);
  pools.set(server, pool);
  await pool.query(statement);
}

function openPool(server: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: server, max: 2, allowExitOnIdle: true });
  // A test's own server may end first.
  return pool.on('error', () => {});
}

const templates = new Map<string, Promise<string>>();

function templateOn(server: string): Promise<string> {
  const template = templates.get(server) ?? prepareTemplate(server);
  templates.set(server, template);
  return template;
}

/**
 * Creates the migrated template database if it is missing. Concurrent calls are safe.
 * @returns its name, which depends on the schema: the server may outlive a change
 */
export async function prepareTemplate(server: string): Promise<string> {
  const name = `payments_template_${schemaVersion()}`;
  await inSession(server, async (client) => {
    await client.query(`SELECT pg_advisory_lock(hashtext('${name}'))`);
    const made = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (made.rowCount !== 0) return;
    const unfinished = `${name}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    await migrate(withDatabase(server, unfinished));
    await asServicesRole(withDatabase(server, unfinished));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
  return name;
}

async function migrate(url: string) {
  await using database = connect(url);
  await migrateToLatest(database);
}

function schemaVersion(): string {
  const src = dirname(fileURLToPath(import.meta.resolve('@payments/database/migrate')));
  const files = [src, join(src, '../migrations')]
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile());
  const hash = createHash('sha256');
  for (const path of files.map((file) => join(file.parentPath, file.name)).sort())
    hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 12);
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

const servicesRole = 'payments_services';

/**
 * Lets the services' own role into a database, as in production.
 * @param url as the owner of the schema
 * @returns the URL of the same database as that role
 */
export async function asServicesRole(url: string): Promise<string> {
  await query(
    url,
    `do $$ begin create role ${servicesRole} login password '${servicesRole}';
      exception when duplicate_object or unique_violation then null; end $$`,
  );
  await using database = connect(url);
  await grantToServices(database, servicesRole);
  return urlOfServices(url);
}

function urlOfServices(url: string): string {
  return Object.assign(new URL(url), { username: servicesRole, password: servicesRole }).href;
}
