import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@payments/testing/database';
import { startDurableServers } from '@payments/testing/durable-servers';
import { type ProcessSystem, startProcessSystem } from '@payments/testing/process-system';
import type { Given } from './test-store.ts';

/** A service as a platform hosts it, with a real bank and the test bank. Its pages know of no simulated bank. */
export type HostedService = {
  /** Opens a test store as the platform does. */
  openTestStore(): Promise<Given>;
  stop(): Promise<void>;
};

/** @param servers a database and a NATS server; by default ones of its own */
export async function startHostedService(servers?: {
  databaseUrl?: string;
  natsUrl?: string;
}): Promise<HostedService> {
  const own = servers ? undefined : await ownServers();
  const banks = [{ id: 'first' }, { id: 'test' }];
  const system = await startProcessSystem({ ...(servers ?? own?.urls), banks });
  return {
    openTestStore: () => openTestStore(system),
    stop: async () => {
      await system.stop();
      await own?.stop();
    },
  };
}

async function ownServers() {
  const dir = await mkdtemp(join(tmpdir(), 'payments-hosted-'));
  const { postgres, nats } = await startDurableServers(dir);
  const { servicesUrl } = await createTestDatabase(postgres.url);
  return {
    urls: { databaseUrl: servicesUrl, natsUrl: nats.url },
    stop: async () => {
      await Promise.all([postgres.stop(), nats.stop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function openTestStore({ url, admin, createStore }: ProcessSystem): Promise<Given> {
  const { id, token } = await createStore({ test: true });
  const { body } = await admin(`/admin/stores/${id}/webhook-secret`);
  return { url, token, secret: body.secret };
}
