import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { type Keeper, openKeeper } from '@payments/backing-services/keep';
import { natsProgram } from '@payments/backing-services/nats-program';
import pg from 'pg';
import { migrateDatabase } from '../migrate-database.ts';
import { type BenchProcess, startProcess } from './bench-process.ts';
import { childrenOf, cpuSeconds, postgresUsage, programOf } from './process-usage.ts';

/** What every side stands on: PostgreSQL and NATS as `npm start` runs them, and the bank. */
export type Ground = {
  dir: string;
  natsUrl: string;
  pspUrl: string;
  bank: BenchProcess;
  postgresLog: string;
  /** Makes a database; `migrated` with the service's schema. @returns its URL */
  createDatabase(name: string, migrated: boolean): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  /** CPU seconds so far of PostgreSQL (backends of this database apart), NATS and the bank. */
  usage(database: string): Record<string, number>;
  /** Settings that need a restart of PostgreSQL; everything connected loses its connections. */
  configurePostgres(settings: Record<string, string>): Promise<void>;
  /** Ends the bank, lets `change` write to its journal, and starts it on that. */
  restartBank(change: () => void): Promise<void>;
  bankJournal: string;
  close(): Promise<void>;
};

/** What the service and the bare side call the PSP with. */
export const pspClient = {
  PIX_CLIENT_ID: 'bench-client',
  PIX_CLIENT_SECRET: 'bench-secret',
  PIX_KEY: 'pix@loja.example',
};

export async function prepareGround(say: (line: string) => void): Promise<Ground> {
  const dir = mkdtempSync(join(tmpdir(), 'payments-bench-'));
  mkdirSync(join(dir, 'logs'));
  const keeper = openKeeper((reason) => say(`unasked: ${reason}`));
  const program = await natsProgram(say);
  const postgresLog = join(dir, 'logs/postgres.log');
  const postgres = await keeper.startPostgres({
    dir: join(dir, 'postgres'),
    tuning: 'durable',
    logFile: postgresLog,
  });
  const nats = await keeper.startNats({ dir: join(dir, 'nats'), program });
  const bankJournal = join(dir, 'bank.journal');
  const bankPort = await freePort();
  const startBank = () => startSimulator(dir, bankPort, bankJournal);
  let bank = await startBank();

  return {
    dir,
    natsUrl: nats.url,
    pspUrl: `http://127.0.0.1:${bankPort}`,
    get bank() {
      return bank;
    },
    postgresLog,
    bankJournal,
    createDatabase: async (name, migrated) => {
      await query(postgres.url, `create database ${name}`);
      const url = withDatabase(postgres.url, name);
      if (migrated) await migrateDatabase(url);
      return url;
    },
    dropDatabase: async (name) =>
      void (await query(postgres.url, `drop database if exists ${name} with (force)`)),
    usage: (database) => ({
      ...postgresUsage(postmasterOf(dir), database),
      NATS: cpuSeconds(natsOf(keeper)),
      PSP: cpuSeconds(bank.pid),
    }),
    configurePostgres: async (settings) => {
      for (const [name, value] of Object.entries(settings))
        await query(postgres.url, `alter system set ${name} = '${value}'`);
      await postgres.stop();
      await postgres.start();
    },
    restartBank: async (change) => {
      await bank.stop();
      change();
      bank = await startBank();
    },
    close: async () => {
      await bank.stop();
      await keeper.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function startSimulator(dir: string, port: number, journal: string): Promise<BenchProcess> {
  return startProcess({
    name: 'PSP',
    module: 'packages/pix-simulator/dist/main.js',
    env: { ...pspClient, PORT: String(port), HOST: '127.0.0.1', DATA_FILE: journal },
    logFile: join(dir, 'logs/bank.log'),
    readyUrl: `http://127.0.0.1:${port}/health/live`,
  });
}

function postmasterOf(dir: string): number {
  return Number(readFileSync(join(dir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
}

function natsOf(keeper: Keeper): number {
  return childrenOf(keeper.pid).find((pid) => programOf(pid) === 'nats-server') ?? 0;
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs statements on a connection of its own. @returns the rows of the last one */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  return session(url, async (client) => (await client.query<Row>(text, values)).rows);
}

export async function session<Result>(
  url: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
