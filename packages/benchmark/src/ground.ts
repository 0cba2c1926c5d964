import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@payments/local-servers/free-port';
import { createTestDatabase, type TestDatabase } from '@payments/testing/database';
import { startDurableServers } from '@payments/testing/durable-servers';
import { createReplica } from '@payments/testing/replica';
import { bankClient } from '@payments/testing/service-settings';
import { query } from '@payments/testing/sessions';
import { root } from './installation.ts';

export type EmptyDatabase = Pick<TestDatabase, 'url' | 'drop'>;

/** The servers of every side: PostgreSQL and NATS as in `npm start`, the simulated bank, and for ours a mail server. */
export type Ground = {
  natsUrl: string;
  bankUrl: string;
  /** The SMTP_URL of a mail server that takes everything. */
  smtpUrl: string;
  /** Creates a database with the service's schema. */
  createDatabase(): Promise<TestDatabase>;
  /** Creates a database without tables. */
  createEmptyDatabase(): Promise<EmptyDatabase>;
  /** @returns the log file of the process with this name */
  logOf(name: string): string;
  close(): Promise<void>;
};

/** @param settings more of postgresql.conf, as `name=value` */
export async function prepareGround(settings: readonly string[] = []): Promise<Ground> {
  const dir = mkdtempSync(join(tmpdir(), 'payments-bench-'));
  mkdirSync(join(dir, 'logs'));
  const logOf = (name: string) => join(dir, `logs/${name}.log`);
  const { postgres, nats } = await startDurableServers(dir, settings);
  // Only PostgreSQL's own clock knows when a transaction was committed.
  await query(postgres.url, 'alter system set track_commit_timestamp = on');
  await postgres.stop();
  await postgres.start();
  const bank = await createReplica({
    name: 'bank',
    module: join(root, 'packages/pix-simulator/dist/main.js'),
    env: { ...bankClient, HOST: '127.0.0.1' },
    readyPath: '/health/live',
    logFile: logOf('bank'),
  });
  const smtpPort = await freePort();
  const mailbox = await createReplica({
    name: 'mailbox',
    module: join(root, 'packages/mailbox/dist/main.js'),
    env: { HOST: '127.0.0.1', SMTP_PORT: String(smtpPort) },
    readyPath: '/health/live',
    logFile: logOf('mailbox'),
  });
  await Promise.all([bank.start(), mailbox.start()]);
  return {
    natsUrl: nats.url,
    bankUrl: `http://127.0.0.1:${bank.port}`,
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    createDatabase: () => createTestDatabase(postgres.url),
    createEmptyDatabase: () => createEmptyDatabase(postgres.url),
    logOf,
    close: async () => {
      await Promise.all([bank.terminate(), mailbox.terminate()]);
      await Promise.all([postgres.stop(), nats.stop()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

let databases = 0;

async function createEmptyDatabase(server: string): Promise<EmptyDatabase> {
  databases += 1;
  const name = `empty_${databases}`;
  await query(server, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return { url, drop: async () => void (await query(server, `drop database ${name} with (force)`)) };
}
