import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { reasonOf } from '@payments/local-servers/backing-server';
import { freePort } from '@payments/local-servers/free-port';
import { openKeeper } from '@payments/local-servers/keep';
import { natsProgram } from '@payments/local-servers/nats-program';
import { claimDataDirectory } from './data-directory.ts';
import { offeredTokenFile } from './demo-store.ts';
import { migrateDatabase } from './migrate-database.ts';
import { type Ended, type ServiceProcess, startService } from './service-process.ts';
import {
  keepBankUrls,
  simulatorEnv,
  testSimulatorEnv,
  writeBanksFile,
  writeTestBankFile,
} from './simulated-banks.ts';
import { StartError } from './start-error.ts';
import { bankUrlsOf, type StartSettings } from './start-settings.ts';

export type System = {
  /** Starts everything in order. Rejects with the first failure; `stop` then ends what was started. */
  start(): Promise<void>;
  /** Ends everything in order: services, simulator, mailbox, NATS and PostgreSQL. */
  stop(): Promise<void>;
  /** Resolves with the reason when a part ends by itself. */
  failed: Promise<string>;
};

export type SystemOptions = {
  settings: StartSettings;
  say: (line: string) => void;
  onLogLine: (service: string, line: string) => void;
  /** Fills the system before its services start. */
  fill?: ((filling: Filling) => Promise<void>) | undefined;
};

/** The needs of a filling: the database, each service's environment, and when to end early. */
export type Filling = {
  databaseUrl: string;
  env: { api: NodeJS.ProcessEnv; dispatcher: NodeJS.ProcessEnv };
  stopping: AbortSignal;
};

const startsAtMost = 20;
const pauseMs = 500;

type Service = { name: string; module: string; port: number; health: string; env: NodeJS.ProcessEnv };

/** The whole system on this machine: backing services, simulator, mailbox, API and dispatcher, each its own process. */
export function createSystem({ settings, say, onLogLine, fill }: SystemOptions): System {
  const { dataDir } = settings;
  const failed = Promise.withResolvers<string>();
  const keeper = openKeeper((reason, startAgain) => void restartServer(reason, startAgain));
  const services: ServiceProcess[] = [];
  const outside: ServiceProcess[] = [];
  const envOf = ({ env, port }: Service) => ({ ...settings.env, ...env, PORT: String(port) });
  const logFile = (name: string) => join(dataDir, 'logs', `${name}.log`);
  let releaseDataDirectory = () => {};
  let stopping = false;
  const stopFilling = new AbortController();
  let filled: Promise<void> | undefined;

  const run = async (group: ServiceProcess[], service: Service, appendLog = false): Promise<void> => {
    if (stopping) return;
    const started = await startService({
      ...service,
      appendLog,
      env: envOf(service),
      readyUrl: `http://localhost:${service.port}/health/${service.health}`,
      logFile: logFile(service.name),
      onLogLine: (line) => onLogLine(service.name, line),
      onSpawn: (spawned) => {
        group.push(spawned);
        keeper.guard([...services, ...outside].map(({ pid }) => pid)).catch(() => {});
      },
    });
    void started.ended.then((ended) => restartService(group, service, started, ended));
    say(`${service.name} is ready`);
  };

  /** Restarts a ready service that a signal ended, as an orchestrator would. Any other end ends the system. */
  const restartService = async (
    group: ServiceProcess[],
    service: Service,
    gone: ServiceProcess,
    { line, killed }: Ended,
  ) => {
    if (stopping) return;
    group.splice(group.indexOf(gone), 1);
    if (!killed) return failed.resolve(line);
    say(`${line}; starting it again`);
    await run(group, service, true).catch((error: Error) => failed.resolve(error.message));
  };
  const restartServer = async (reason: string, startAgain?: () => Promise<void>) => {
    if (stopping) return;
    if (!startAgain) return failed.resolve(reason);
    say(`${reason}; starting it again`);
    // A killed PostgreSQL's processes keep its data directory for a moment.
    for (let tries = 1; !stopping; tries += 1) {
      const error = await startAgain().catch((refusal: unknown) => refusal);
      if (error === undefined) return;
      if (tries === startsAtMost)
        return failed.resolve(`${reason}; it does not start again: ${reasonOf(error)}`);
      await delay(pauseMs);
    }
  };
  const stopAll = (group: ServiceProcess[]) => Promise.all(group.map((service) => service.stop()));

  return {
    failed: failed.promise,
    start: async () => {
      releaseDataDirectory = await claimDataDirectory(dataDir, keeper.pid);
      for (const name of ['postgres', 'nats']) rmSync(logFile(name), { force: true });
      keepBankUrls(dataDir, bankUrlsOf(settings));
      writeBanksFile({ dataDir, banks: settings.banks, apiPort: settings.ports.API_PORT });
      const testBankPort = settings.simulatesTestBank ? await freePort() : undefined;
      if (testBankPort !== undefined) writeTestBankFile({ dataDir, port: testBankPort });
      const urls = await startBackingServices();
      await migrateDatabase(urls.DATABASE_URL).catch((error: Error) => {
        const where = settings.databaseUrl ? ' of DATABASE_URL' : '';
        throw new StartError(`the schema${where} could not be made or updated: ${error.message}`);
      });
      say('PostgreSQL and NATS are ready');
      const smtpPort = await freePort();
      const others = [...simulators(settings, testBankPort), ...mailbox(settings, smtpPort)];
      await Promise.all(others.map((other) => run(outside, other)));
      const own = ourServices(settings, { ...urls, ...mailServer(settings, smtpPort) });
      const [api, dispatcher] = [envOf(own[0]), envOf(own[1])];
      filled = fill?.({
        databaseUrl: urls.DATABASE_URL,
        env: { api, dispatcher },
        stopping: stopFilling.signal,
      });
      await filled;
      await Promise.all(own.map((service) => run(services, service)));
    },
    stop: async () => {
      stopping = true;
      stopFilling.abort();
      await filled?.catch(() => {});
      await stopAll(services);
      await stopAll(outside);
      await keeper.close();
      releaseDataDirectory();
    },
  };

  async function startBackingServices() {
    const { databaseUrl, natsUrl } = settings;
    const [postgresDir, natsDir] = [join(dataDir, 'postgres'), join(dataDir, 'nats')];
    const program = natsUrl ?? (await natsProgram(say));
    const [postgres, nats] = await Promise.all([
      databaseUrl
        ? { url: databaseUrl }
        : keeper.startPostgres({ dir: postgresDir, tuning: 'durable', logFile: logFile('postgres') }),
      natsUrl ? { url: natsUrl } : keeper.startNats({ dir: natsDir, program, logFile: logFile('nats') }),
    ]);
    return { DATABASE_URL: postgres.url, NATS_URL: nats.url };
  }
}

function simulators({ ports, banks, dataDir }: StartSettings, testBankPort: number | undefined): Service[] {
  const module = 'packages/pix-simulator/src/main.ts';
  const one = (name: string, port: number, env: NodeJS.ProcessEnv = {}): Service => {
    const DATA_FILE = join(dataDir, `${name}.journal`);
    return { name, module, port, health: 'live', env: { ...env, DATA_FILE } };
  };
  const ofTests = testBankPort === undefined ? [] : [one('simulator-test', testBankPort, testSimulatorEnv())];
  if (banks.length > 0)
    return [...banks.map(({ id, port }) => one(`simulator-${id}`, port, simulatorEnv(id))), ...ofTests];
  return [
    ...(ports.SIMULATOR_PORT === undefined ? [] : [one('simulator', ports.SIMULATOR_PORT)]),
    ...ofTests,
  ];
}

/** The mailbox takes mails at a port of this start, which a restart of it keeps. */
function mailbox({ ports: { MAILBOX_PORT: port } }: StartSettings, smtpPort: number): Service[] {
  if (port === undefined) return [];
  const env = { SMTP_PORT: String(smtpPort) };
  return [{ name: 'mailbox', module: 'packages/mailbox/src/main.ts', port, health: 'live', env }];
}

/** @returns where the services send mails, unless SMTP_URL says it */
function mailServer({ ports: { MAILBOX_PORT } }: StartSettings, smtpPort: number): Record<string, string> {
  return MAILBOX_PORT === undefined ? {} : { SMTP_URL: `smtp://localhost:${smtpPort}` };
}

function ourServices(
  settings: StartSettings,
  urls: Record<string, string>,
): [api: Service, dispatcher: Service] {
  const { ports, dataDir } = settings;
  const [bank] = bankUrlsOf(settings);
  const api = {
    ...urls,
    ADMIN_PORT: String(ports.ADMIN_PORT),
    DOCS_TOKEN_FILE: offeredTokenFile(dataDir),
    ...(bank !== undefined && { DOCS_SIMULATOR_URL: bank }),
  };
  return [
    { name: 'api', module: 'services/api/src/main.ts', port: ports.API_PORT, health: 'ready', env: api },
    {
      name: 'dispatcher',
      module: 'services/dispatcher/src/main.ts',
      port: ports.DISPATCHER_PORT,
      health: 'ready',
      // Two processes of one machine can't share a port: METRICS_PORT is the API's.
      env: { ...urls, METRICS_PORT: undefined },
    },
  ];
}
