import { resolve } from 'node:path';
import { type BankName, basePaths } from '@payments/pix-simulator/banks/all';
import { readEnvironment } from '@payments/runtime/environment';
import { databaseSettings, natsSettings } from '@payments/runtime/settings';
import { Type } from '@sinclair/typebox';
import { type SimulatedBank, simulatedBanksFile, testBankFile } from './simulated-banks.ts';
import { StartError } from './start-error.ts';

export type Ports = {
  API_PORT: number;
  ADMIN_PORT: number;
  DISPATCHER_PORT: number;
  SIMULATOR_PORT?: number;
  /** Undefined where SMTP_URL names a mail server. */
  MAILBOX_PORT?: number;
  /** Undefined where the admin port has the panel, or the metrics. */
  PANEL_PORT?: number;
  METRICS_PORT?: number;
};

export type StartSettings = {
  ports: Ports;
  /** The simulated banks of `--banks`, the first one at SIMULATOR_PORT; none without it. */
  banks: readonly SimulatedBank[];
  /** The variable that names other banks than the simulated ones. */
  otherBanks: 'PIX_URL' | 'BANKS_FILE' | undefined;
  /** Absolute. */
  dataDir: string;
  adminKey: string;
  /** An external server; undefined for our own. */
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  /** Whether the bank of test stores is our own simulator. */
  simulatesTestBank: boolean;
  /**
   * The environment of every process, with the defaults of `npm start`, but without the addresses of the servers that
   * we start.
   */
  env: NodeJS.ProcessEnv;
};

// Settings that are needed before the services, which check their own.
const neededFirst = Type.Object({
  ...databaseSettings,
  DATABASE_URL: Type.Optional(databaseSettings.DATABASE_URL),
  ...natsSettings,
  NATS_URL: Type.Optional(natsSettings.NATS_URL),
});

/**
 * Reads the settings of `npm start`, with its defaults.
 * @param folder the base of a relative DATA_DIR
 * @param bankNames the banks to simulate, in order of preference; none for the one that PIX_PSP names
 * @throws StartError and ConfigurationError with the wrong variable's name
 */
export function readStartSettings(
  given: NodeJS.ProcessEnv,
  folder: string,
  bankNames: readonly BankName[] = [],
): StartSettings {
  const env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const { DATABASE_URL: databaseUrl, NATS_URL: natsUrl } = readEnvironment(neededFirst, env);
  const ports: Ports = {
    API_PORT: port(env, 'API_PORT', 3000),
    ADMIN_PORT: port(env, 'ADMIN_PORT', 3001),
    DISPATCHER_PORT: port(env, 'DISPATCHER_PORT', 3002),
    ...(env.PIX_URL === undefined && { SIMULATOR_PORT: port(env, 'SIMULATOR_PORT', 3003) }),
    ...(env.PANEL_PORT !== undefined && { PANEL_PORT: port(env, 'PANEL_PORT') }),
    ...(env.METRICS_PORT !== undefined && { METRICS_PORT: port(env, 'METRICS_PORT') }),
  };
  refuseUnknownBank(env.PIX_PSP);
  const otherBanks = (['PIX_URL', 'BANKS_FILE'] as const).find((name) => env[name] !== undefined);
  if (bankNames.length > 0 && otherBanks)
    throw new StartError(`--banks simulates banks, and ${otherBanks} names others: unset it`);
  const banks = bankNames.map((id, index) => ({ id, port: (ports.SIMULATOR_PORT ?? 0) + index }));
  if (env.SMTP_URL === undefined)
    ports.MAILBOX_PORT = port(env, 'MAILBOX_PORT', firstOtherPort(3004, portsOf({ ports, banks })));
  refuseSamePort(portsOf({ ports, banks }));
  const dataDir = resolve(folder, env.DATA_DIR ?? '.data');
  const defaults = {
    NODE_ENV: 'development',
    HOST: 'localhost',
    LOG_LEVEL: 'info',
    ADMIN_KEY: 'dev-admin-key',
    SECRETS_KEY: 'dev-secrets-key-of-npm-start-only',
    PUBLIC_URL: `http://localhost:${ports.API_PORT}`,
    ADMIN_URL: panelUrlOf(ports),
    // The bank that PIX_PSP names is simulated, unless PIX_URL says where it is.
    PIX_URL: `http://localhost:${ports.SIMULATOR_PORT}${basePathOf(env.PIX_PSP)}`,
    PROFILE: env.PIX_PSP ?? 'bacen',
    PIX_APP_KEY: 'dev-app-key',
    PIX_CLIENT_ID: 'dev-client',
    PIX_CLIENT_SECRET: 'dev-secret',
    PIX_KEY: 'pix@loja.example',
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
    // The mailbox takes whatever it is sent. Another mail server wants a sender of its own.
    ...(ports.MAILBOX_PORT !== undefined && {
      MAIL_FROM: 'Painel de pagamentos <painel@pagamentos.example>',
    }),
    RATE_LIMIT_PER_MINUTE: '0',
    QR_IMAGES_PER_MINUTE: '0',
    PAYER_PAGES_PER_MINUTE: '0',
    ...(banks.length > 0 && { BANKS_FILE: simulatedBanksFile(dataDir) }),
    // The bank of test stores is simulated, unless another is given.
    TEST_BANK_FILE: testBankFile(dataDir),
  };
  return {
    ports,
    banks,
    otherBanks,
    dataDir,
    adminKey: env.ADMIN_KEY ?? defaults.ADMIN_KEY,
    databaseUrl,
    natsUrl,
    simulatesTestBank: env.TEST_BANK_FILE === undefined,
    env: { ...defaults, ...env },
  };
}

/** @returns the simulated banks' addresses; none where a variable names other banks */
export function bankUrlsOf({ ports, banks, otherBanks }: StartSettings): string[] {
  if (otherBanks) return [];
  const bankPorts = banks.length > 0 ? banks.map(({ port }) => port) : [ports.SIMULATOR_PORT];
  return bankPorts.map((port) => `http://localhost:${port}`);
}

/** @returns the panel's address on this machine */
export function panelUrlOf({ PANEL_PORT, ADMIN_PORT }: Ports): string {
  return `http://localhost:${PANEL_PORT ?? ADMIN_PORT}`;
}

/** The simulated bank would refuse it first, and by the name of a setting of its own. */
function refuseUnknownBank(psp: string | undefined): void {
  const known = Object.keys(basePaths);
  if (psp !== undefined && !known.includes(psp))
    throw new StartError(`PIX_PSP must be one of ${known.join(', ')}, not ${psp}`);
}

function basePathOf(psp: string | undefined): string {
  return basePaths[(psp ?? 'bacen') as BankName] ?? '';
}

function port(env: NodeJS.ProcessEnv, name: keyof Ports, fallback?: number): number {
  const text = env[name] ?? String(fallback);
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= 65535) return value;
  throw new StartError(`${name} must be a port number from 1 to 65535, not ${env[name]}`);
}

/** @returns every port with its variable, or with the sum that it is */
export function portsOf({ ports, banks }: Pick<StartSettings, 'ports' | 'banks'>): [string, number][] {
  const further = banks
    .slice(1)
    .map(({ port }, index): [string, number] => [`SIMULATOR_PORT + ${index + 1}`, port]);
  return [...Object.entries(ports), ...further];
}

/** @returns the first port, from this one on, that none of these is: `--banks` may take the mailbox's */
function firstOtherPort(from: number, ports: readonly [string, number][]): number {
  return ports.some(([, taken]) => taken === from) ? firstOtherPort(from + 1, ports) : from;
}

function refuseSamePort(ports: readonly [string, number][]) {
  const names = new Map<number, string>();
  for (const [name, value] of ports) {
    const other = names.get(value);
    if (other !== undefined)
      throw new StartError(`${other} and ${name} are both ${value}: give one of them another`);
    names.set(value, name);
  }
}
