import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { type Balancer, startBalancer } from '@payments/testing/balancer';
import { createReplica, heapFlags, type Replica } from '@payments/testing/replica';
import { bankClient, serviceSettings } from '@payments/testing/service-settings';
import { type Backing, startBacking } from './backing.ts';
import { type Links, openLinks } from './links.ts';

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

/** Within seconds a charge expires, a review ends, a refused refund is ordered again and a delivery is given up. */
export const pace = {
  CHARGE_EXPIRES_IN_SECONDS: '20',
  CHARGE_GRACE_SECONDS: '3',
  REVIEW_TIMEOUT_SECONDS: '8',
  REFUND_RETRY_SECONDS: '0.5,1,2',
  SCAN_INTERVAL_SECONDS: '1',
  WEBHOOK_TIMEOUT_MS: '1500',
  WEBHOOK_RETRY_SECONDS: '0.5,1,2,4,8',
};

export async function startSystem({
  sources,
  dispatchers: count,
  logLevel,
  env: own,
  onCrash,
}: SystemOptions): Promise<AttackedSystem> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-attack-'));
  const backing = await startBacking(dir);
  const process = (name: string, path: string, env: Record<string, string>, readyPath = '/health/ready') =>
    createReplica({
      name,
      module: join(sources, path, 'src/main.ts'),
      env,
      readyPath,
      onCrash,
      nodeArgs: heapFlags,
      watched: false,
    });
  const journal = { LOG_LEVEL: 'warn', DATA_FILE: join(dir, 'bank.journal') };
  const bank = await process(
    'simulator',
    'packages/pix-simulator',
    { ...bankClient, ...journal },
    '/health/live',
  );
  const bankUrl = `http://127.0.0.1:${bank.port}`;
  const [port, adminPort] = [await freePort(), await freePort()];
  const targets = { databaseUrl: backing.databaseUrl, natsUrl: backing.nats.url, bankUrl };
  const publicUrl = `http://127.0.0.1:${port}`;
  const env = {
    ...serviceSettings({ ...targets, publicUrl }),
    ...pace,
    LOG_LEVEL: logLevel,
    SHUTDOWN_DELAY_MS: '1000',
    // Receivers are on this one address; the address beside it is a trap.
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.1/32',
    ...own,
  };
  const service = async (name: string, path: string, more = {}): Promise<LinkedReplica> => {
    const { links, env: over } = await openLinks(targets);
    return { ...(await process(name, path, { ...env, ...more, ...over })), links };
  };
  const api = async (number: number) => {
    const adminPort = await freePort();
    const admin = { ADMIN_PORT: String(adminPort) };
    return { ...(await service(`api ${number}`, 'services/api', admin)), adminPort };
  };
  const apis = [await api(1), await api(2)];
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const dispatchers = await Promise.all(
    numbers.map((number) => service(`dispatcher ${number}`, 'services/dispatcher')),
  );
  await bank.start();
  await Promise.all([...apis, ...dispatchers].map((replica) => replica.start()));
  const balancers = await balance(apis, port, adminPort);
  return {
    apis,
    dispatchers,
    bank,
    backing,
    url: publicUrl,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    bankUrl,
    expiresMs: Number(env.CHARGE_EXPIRES_IN_SECONDS) * 1_000,
    stop: async () => {
      await Promise.all([...apis, ...dispatchers, bank].map((replica) => replica.kill()));
      await Promise.all(balancers.map((balancer) => balancer.close()));
      const links = [...apis, ...dispatchers].flatMap((replica) => Object.values(replica.links));
      await Promise.all(links.map((link) => link.close()));
      await backing.close();
    },
  };
}

/** The public side and the admin side; while nobody is ready, clients hear so from the service itself. */
function balance(apis: AttackedSystem['apis'], port: number, adminPort: number): Promise<Balancer[]> {
  const publicSide = apis.map((api) => ({ port: api.port, healthPort: api.port }));
  const adminSide = apis.map((api) => ({ port: api.adminPort, healthPort: api.port }));
  return Promise.all([
    startBalancer(publicSide, { port, failOpen: true }),
    startBalancer(adminSide, { port: adminPort, failOpen: true }),
  ]);
}
