import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@payments/local-servers/free-port';
import { type Balancer, startBalancer } from '@payments/testing/balancer';
import { type Surroundings, serviceSettings } from '@payments/testing/service-settings';
import { type AttackedMail, createMail } from '../mail/mail.ts';
import type { Backing } from './backing.ts';
import { type AttackedBank, type BankId, bankIds, createBanks, isTestBank } from './banks.ts';
import { closeLinks, type LinkedReplica, linkedService } from './links.ts';

/** The whole system as real processes: two APIs behind a balancer, dispatchers, two banks, PostgreSQL, NATS, mail. */
export type AttackedSystem = {
  apis: (LinkedReplica & { adminPort: number })[];
  dispatchers: LinkedReplica[];
  banks: AttackedBank[];
  backing: Backing;
  mail: AttackedMail;
  url: string;
  adminUrl: string;
  /** The addresses of the banks. */
  bankUrls: Record<BankId, string>;
  /** Takes a bank out of every process's file, or puts it back. One real bank always stays. */
  configure(bank: BankId, isThere: boolean): void;
  /** How long a charge can be paid. */
  expiresMs: number;
  stop(): Promise<void>;
};

export type SystemOptions = {
  /** The workspace whose sources run. */
  sources: string;
  dispatchers: number;
  /** Starts PostgreSQL and NATS; they may use the folder. */
  startBacking(dir: string): Promise<Backing>;
  logLevel: string;
  env?: Record<string, string>;
  onCrash: (line: string) => void;
};

/** Within seconds a charge expires, a review ends, a refused refund is ordered again and a delivery dies. */
export const pace = {
  CHARGE_EXPIRES_IN_SECONDS: '30',
  CHARGE_GRACE_SECONDS: '3',
  REVIEW_TIMEOUT_SECONDS: '8',
  REFUND_RETRY_SECONDS: '0.5,1,2',
  SCAN_INTERVAL_SECONDS: '1',
  WEBHOOK_TIMEOUT_MS: '1500',
  WEBHOOK_RETRY_SECONDS: '0.5,1,2,4,8',
  // Few enough that one store could take them all.
  WEBHOOK_CONCURRENCY: '24',
  WEBHOOK_CONCURRENCY_PER_ENDPOINT: '6',
};

export async function startSystem(options: SystemOptions): Promise<AttackedSystem> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-attack-'));
  const backing = await options.startBacking(dir);
  const module = join(options.sources, 'packages/pix-simulator/src/main.ts');
  const banks = await createBanks({ module, dir, onCrash: options.onCrash });
  const mail = await createMail(dir, options.onCrash);
  const [port, adminPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const { databaseUrls, natsUrl } = backing;
  const surroundings = { databaseUrl: databaseUrls[0], natsUrl, bankUrl: '', publicUrl: url };
  const env = { ...mail.env, ...settingsOf(options, surroundings), ...backing.env };
  const service = linkedService(options, { targets: { natsUrl, banks }, env, dir });
  const database = (number: number) => ({
    DATABASE_URL: databaseUrls[number % databaseUrls.length] as string,
  });
  const apis = await Promise.all(
    [1, 2].map(async (number) => {
      const ownPort = await freePort();
      const own = { ...database(number), ADMIN_PORT: String(ownPort) };
      const api = await service(`api ${number}`, 'services/api', own);
      return { ...api, adminPort: ownPort };
    }),
  );
  const dispatchers = await Promise.all(
    Array.from({ length: options.dispatchers }, (_, index) =>
      service(`dispatcher ${index + 1}`, 'services/dispatcher', database(index)),
    ),
  );
  const services = [...apis, ...dispatchers];
  await Promise.all([...banks, mail].map((one) => one.start()));
  await Promise.all(services.map((replica) => replica.start()));
  const balancers = await balance(apis, port, adminPort);
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  return {
    apis,
    dispatchers,
    banks,
    backing,
    mail,
    url,
    adminUrl,
    bankUrls: Object.fromEntries(banks.map(({ id, url: at }) => [id, at])) as Record<BankId, string>,
    configure: configuration(services),
    expiresMs: Number(env.CHARGE_EXPIRES_IN_SECONDS) * 1_000,
    stop: async () => {
      await Promise.all([...services, ...banks, mail].map((replica) => replica.kill()));
      await Promise.all(balancers.map((balancer) => balancer.close()));
      await Promise.all(services.map(({ links }) => closeLinks(links)));
      await backing.close();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
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

function configuration(services: readonly LinkedReplica[]): AttackedSystem['configure'] {
  const gone = new Set<BankId>();
  return (bank, isThere) => {
    if (isThere) gone.delete(bank);
    else gone.add(bank);
    const left = bankIds.filter((id) => !gone.has(id));
    if (left.some((id) => !isTestBank(id))) for (const one of services) one.configure(left);
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
