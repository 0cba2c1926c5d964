import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { type Balancer, startBalancer } from '@payments/testing/balancer';
import { type Backing, startBacking } from './backing.ts';
import { type Links, openLinks } from './links.ts';
import { createMember, type Member } from './member.ts';

export type LinkedMember = Member & { links: Links };

/** The whole system as real processes: two APIs behind a balancer, three dispatchers, a bank, PostgreSQL, NATS. */
export type ChaosSystem = {
  apis: (LinkedMember & { adminPort: number })[];
  dispatchers: LinkedMember[];
  bank: Member;
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

export const adminKey = 'chaos-admin-key';
const pix = { PIX_CLIENT_ID: 'client', PIX_CLIENT_SECRET: 'secret', PIX_KEY: 'pix@example.com' };

/** Time passes quickly: a charge expires, a review ends, a refused refund is ordered again and a delivery is given up within seconds. */
export const pace = {
  CHARGE_EXPIRES_IN_SECONDS: '20',
  CHARGE_GRACE_SECONDS: '3',
  REVIEW_TIMEOUT_SECONDS: '8',
  REFUND_RETRY_SECONDS: '0.5,1,2',
  SCAN_INTERVAL_SECONDS: '1',
  WEBHOOK_TIMEOUT_MS: '1500',
  WEBHOOK_RETRY_SECONDS: '0.5,1,2,4,8',
};

export async function startChaosSystem(options: SystemOptions): Promise<ChaosSystem> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-chaos-'));
  const backing = await startBacking(dir);
  const module = (path: string) => join(options.sources, path, 'src/main.ts');
  const bank = await createMember({
    name: 'simulator',
    module: module('packages/pix-simulator'),
    env: { ...pix, LOG_LEVEL: 'warn', DATA_FILE: join(dir, 'bank.journal') },
    readyPath: '/health/live',
    onCrash: options.onCrash,
  });
  const bankUrl = `http://127.0.0.1:${bank.port}`;
  const [port, adminPort] = [await freePort(), await freePort()];
  const targets = { databaseUrl: backing.postgres.url, natsUrl: backing.nats.url, bankUrl };
  const env = {
    ...pix,
    ...pace,
    HOST: '127.0.0.1',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    LOG_LEVEL: options.logLevel,
    RATE_LIMIT_PER_MINUTE: '0',
    SHUTDOWN_DELAY_MS: '1000',
    // Receivers are on this one address; the address beside it is a trap.
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.1/32',
    ...options.env,
  };
  const service = async (
    name: string,
    path: string,
    own: Record<string, string> = {},
  ): Promise<LinkedMember> => {
    const { links, env: over } = await openLinks(targets);
    const member = await createMember({
      name,
      module: module(path),
      env: { ...env, ...own, ...over },
      onCrash: options.onCrash,
    });
    return { ...member, links };
  };
  const apis = await Promise.all(
    [1, 2].map(async (n) => {
      const own = await freePort();
      const api = await service(`api ${n}`, 'services/api', { ADMIN_KEY: adminKey, ADMIN_PORT: String(own) });
      return { ...api, adminPort: own };
    }),
  );
  const dispatchers = await Promise.all(
    Array.from({ length: options.dispatchers }, (_, n) =>
      service(`dispatcher ${n + 1}`, 'services/dispatcher'),
    ),
  );
  await bank.start();
  await Promise.all([...apis, ...dispatchers].map((member) => member.start()));
  const balancers = await balance(apis, port, adminPort);
  return {
    apis,
    dispatchers,
    bank,
    backing,
    url: env.PUBLIC_URL,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    bankUrl,
    expiresMs: Number(env.CHARGE_EXPIRES_IN_SECONDS) * 1_000,
    stop: async () => {
      await Promise.all([...apis, ...dispatchers, bank].map((member) => member.kill()));
      await Promise.all(balancers.map((balancer) => balancer.close()));
      const links = [...apis, ...dispatchers].flatMap((member) => Object.values(member.links));
      await Promise.all(links.map((link) => link.close()));
      await backing.close();
    },
  };
}

/** The public side and the admin side; while nobody is ready, clients hear so from the service itself. */
function balance(apis: ChaosSystem['apis'], port: number, adminPort: number): Promise<Balancer[]> {
  const publicSide = apis.map((api) => ({ port: api.port, healthPort: api.port }));
  const adminSide = apis.map((api) => ({ port: api.adminPort, healthPort: api.port }));
  return Promise.all([
    startBalancer(publicSide, { port, failOpen: true }),
    startBalancer(adminSide, { port: adminPort, failOpen: true }),
  ]);
}
