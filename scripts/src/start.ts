import { relative } from 'node:path';
import { freePort } from '@payments/local-servers/free-port';
import { demoAccounts } from './demo-accounts.ts';
import { demoStore } from './demo-store.ts';
import { assertPortsFree } from './free-ports.ts';
import { instructions } from './instructions.ts';
import { openBrowser } from './open-browser.ts';
import { readBankNames } from './simulated-banks.ts';
import { StartError } from './start-error.ts';
import { readStartOptions } from './start-options.ts';
import { bankUrlsOf, panelUrlOf, portsOf, readStartSettings, type StartSettings } from './start-settings.ts';
import { createSystem, type Filling, type System } from './system.ts';
import { terminalLog } from './terminal-log.ts';

/**
 * `npm start`: runs the whole system on this machine until Ctrl-C.
 * `npm start -- --banks efi,bb`: the same with several simulated banks, in order of preference.
 * `npm start -- --open`: opens the docs in a browser.
 * `npm start -- --seed-data`: also makes three stores with a month of payments.
 */
const print = (text: string) => void process.stdout.write(`${text}\n`);
// A closed terminal refuses output; the system must still end in order.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});

const apiUrlOf = ({ API_PORT }: StartSettings['ports']) => `http://localhost:${API_PORT}`;
const adminUrlOf = ({ ADMIN_PORT }: StartSettings['ports']) => `http://localhost:${ADMIN_PORT}`;

try {
  const settings = readStartSettings(process.env, process.cwd(), readBankNames(process.argv.slice(2)));
  await moveMailbox(settings.ports);
  await assertPortsFree(portsOf(settings));
  const showLog = terminalLog(process.env.LOG_LEVEL || 'warn', print);
  const options = readStartOptions(process.argv.slice(2));
  const fill = options['seed-data'] ? fillWith(settings) : undefined;
  const system = createSystem({ settings, say: print, onLogLine: showLog, fill });
  await runUntilTold(system, settings);
} catch (error) {
  process.stderr.write(`not started: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

/** Unless its port was given, the mailbox goes elsewhere where that is taken: it must not keep the system from starting. */
async function moveMailbox(ports: StartSettings['ports']) {
  const { MAILBOX_PORT: port } = ports;
  if (port === undefined || process.env.MAILBOX_PORT) return;
  const isTaken = await assertPortsFree([['MAILBOX_PORT', port]]).then(
    () => false,
    () => true,
  );
  if (isTaken) ports.MAILBOX_PORT = await freePort();
}

/** Ends the system in every case: on a signal, after a failed start, or when a part of it ended. */
async function runUntilTold(system: System, settings: StartSettings) {
  const told = whenTold();
  const up = system.start().then(() => welcome(settings));
  try {
    const reason = await Promise.race([told, up.then(() => Promise.race([told, system.failed]))]);
    if (reason !== undefined) {
      process.stderr.write(`stopping everything: ${reason}\n`);
      process.exitCode = 1;
    } else {
      print('\nstopping …');
    }
  } finally {
    up.catch(() => {});
    await system.stop();
  }
  print('stopped');
}

/** Resolves at the first signal, or when the parent process has ended. */
function whenTold(): Promise<undefined> {
  return new Promise((resolve) => {
    const told = () => resolve(undefined);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, told);
    process.on('disconnect', told);
  });
}

async function welcome(settings: StartSettings) {
  const { ports, banks, otherBanks, adminKey, dataDir, databaseUrl, natsUrl } = settings;
  const [apiUrl, adminUrl] = [apiUrlOf(ports), adminUrlOf(ports)];
  const { storeId, token } = await demoStore({ dataDir, apiUrl, adminUrl, adminKey });
  const accounts = await demoAccounts({ dataDir, adminUrl, panelUrl: panelUrlOf(ports), adminKey, storeId });
  const folder = relative(process.cwd(), dataDir) || '.';
  const from = (given: string | undefined, name: string) =>
    given ? `${name} as given` : `${name} in ${folder}`;
  const state = [from(databaseUrl, 'PostgreSQL'), from(natsUrl, 'NATS')].join(', ');
  const options = readStartOptions(process.argv.slice(2));
  if (options.open) {
    const docs = `${apiUrl}/docs`;
    openBrowser(docs, () => print(`there is no browser to open ${docs}`));
  }
  print(instructions({ ports, banks, otherBanks, token, adminKey, accounts, state, logs: `${folder}/logs` }));
}

/** @throws StartError where a variable names other banks: a month of charges at a real one can be paid */
function fillWith(settings: StartSettings): (filling: Filling) => Promise<void> {
  const { ports, adminKey, dataDir, otherBanks } = settings;
  if (otherBanks)
    throw new StartError(`--seed-data pays at simulated banks, and ${otherBanks} names others: unset it`);
  const urls = {
    apiUrl: apiUrlOf(ports),
    adminUrl: adminUrlOf(ports),
    panelUrl: panelUrlOf(ports),
    bankUrls: bankUrlsOf(settings),
  };
  const at = { ...urls, adminKey, dataDir };
  return async (filling) => {
    print('living through a month of payments …');
    // The services are loaded for this alone.
    const { seedData } = await import('./seed/seed-data.ts');
    const names = await seedData({ ...at, ...filling });
    print(names.length > 0 ? `made ${names.join(', ')}` : 'the stores are there already');
  };
}
