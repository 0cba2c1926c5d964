import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { type Balancer, startBalancer } from '@payments/testing/balancer';
import { createReplica, heapFlags, type Replica } from '@payments/testing/replica';
import { bankClient, type Surroundings, serviceSettings } from '@payments/testing/service-settings';
import { type Backing, startBacking } from './backing.ts';
import { type Links, type LinkTargets, openLinks } from './links.ts';

export type LinkedReplica = Replica & { links: Links };

/** The whole system as real processes: two APIs behind a balancer, dispatchers, a bank, PostgreSQL, NATS. */
export type AttackedSystem = {
  apis: (LinkedReplica & { adminPort: number })[];
  dispatchers: LinkedReplica[];
  bank: Replica;
  backing: Backing;
  url: string;
  adminUrl: string;
  bankUrl: string;
  /** How long a charge can be paid. */
  expiresMs: number;
  stop(): Promise<void>;
};

export type SystemOptions = {
  /** The workspace whose sources run. */
  sources: string;
  dispatchers: number;
  logLevel: string;
  env?: Record<string, string>;
  onCrash: (line: string) => void;
};

/** Within seconds a charge expires, a review ends, a refused refund is ordered again and a delivery dies. */
export const pace = {
  CHARGE_EXPIRES_IN_SECONDS: '20',
  CHARGE_GRACE_SECONDS: '3',
  REVIEW_TIMEOUT_SECONDS: '8',
  REFUND_RETRY_SECONDS: '0.5,1,2',
  SCAN_INTERVAL_SECONDS: '1',
  WEBHOOK_TIMEOUT_MS: '1500',
  WEBHOOK_RETRY_SECONDS: '0.5,1,2,4,8',
};

export async function startSystem(options: SystemOptions): Promise<AttackedSystem> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-attack-'));
  const backing = await startBacking(dir);
  const bank = await createBank(options, dir);
  const bankUrl = `http://127.0.0.1:${bank.port}`;
  const [port, adminPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const targets = { databaseUrl: backing.databaseUrl, natsUrl: backing.nats.url, bankUrl };
  const env = settingsOf(options, { ...targets, publicUrl: url });
  const service = linkedService(options, targets, env);
  const apis = await Promise.all(
    [1, 2].map(async (number) => {
      const ownPort = await freePort();
      const api = await service(`api ${number}`, 'services/api', { ADMIN_PORT: String(ownPort) });
      return { ...api, adminPort: ownPort };
    }),
  );
  const dispatchers = await Promise.all(
    Array.from({ length: options.dispatchers }, (_, index) =>
      service(`dispatcher ${index + 1}`, 'services/dispatcher'),
    ),
  );
  const services = [...apis, ...dispatchers];
  await bank.start();
  await Promise.all(services.map((replica) => replica.start()));
  const balancers = await balance(apis, port, adminPort);
  return {
    apis,
    dispatchers,
    bank,
    backing,
    url,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    bankUrl,
    expiresMs: Number(env.CHARGE_EXPIRES_IN_SECONDS) * 1_000,
    stop: async () => {
      await Promise.all([...services, bank].map((replica) => replica.kill()));
      await Promise.all(balancers.map((balancer) => balancer.close()));
      const links = services.flatMap((replica) => Object.values(replica.links));
      await Promise.all(links.map((link) => link.close()));
      await backing.close();
    },
  };
}

function settingsOf({ logLevel, env }: SystemOptions, surroundings: Surroundings) {
  return {
    ...serviceSettings(surroundings),
    ...pace,
    LOG_LEVEL: logLevel,
    SHUTDOWN_DELAY_MS: '1000',
    // Receivers use only this address; the next one is a trap.
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.1/32',
    ...env,
  };
}

const moduleIn = (sources: string, path: string) => join(sources, path, 'src/main.ts');

function createBank({ sources, onCrash }: SystemOptions, dir: string): Promise<Replica> {
  return createReplica({
    name: 'simulator',
    module: moduleIn(sources, 'packages/pix-simulator'),
    env: { ...bankClient, LOG_LEVEL: 'warn', DATA_FILE: join(dir, 'bank.journal') },
    readyPath: '/health/live',
    nodeArgs: heapFlags,
    onCrash,
  });
}

/** @returns a function that makes a replica of a service with its own links */
function linkedService(
  { sources, onCrash }: SystemOptions,
  targets: LinkTargets,
  env: Record<string, string>,
) {
  return async (name: string, path: string, own: Record<string, string> = {}): Promise<LinkedReplica> => {
    const { links, env: over } = await openLinks(targets);
    const replica = await createReplica({
      name,
      module: moduleIn(sources, path),
      env: { ...env, ...own, ...over },
      nodeArgs: heapFlags,
      watched: false,
      onCrash,
    });
    return { ...replica, links };
  };
}

/** Balances the public and the admin port. While no API is ready, clients get the service's own response. */
function balance(apis: AttackedSystem['apis'], port: number, adminPort: number): Promise<Balancer[]> {
  const publicSide = apis.map((api) => ({ port: api.port, healthPort: api.port }));
  const adminSide = apis.map((api) => ({ port: api.adminPort, healthPort: api.port }));
  return Promise.all([
    startBalancer(publicSide, { port, failOpen: true }),
    startBalancer(adminSide, { port: adminPort, failOpen: true }),
  ]);
}
