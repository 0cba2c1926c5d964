import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@payments/local-servers/free-port';
import { createTestDatabase } from '@payments/testing/database';
import { commandOf, programsOf, runProgram, tokenLineOf } from '@payments/testing/docs-programs';
import { startDurableServers } from '@payments/testing/durable-servers';
import { type ProcessSystem, startProcessSystem } from '@payments/testing/process-system';
import { root } from '../repository.ts';

/** How long each step took, in seconds. */
type Journey = { clone: number; start: number; payment: number };

/**
 * Clones the last commit, starts it, and runs the guide's program in a language.
 * @param path of the guide
 * @throws Error with the output of the step that failed
 */
export async function takeFirstPayment(language: string, path: string): Promise<Journey> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-newcomer-'));
  const clone = join(folder, 'clone');
  try {
    const cloned = await timed(() => run('git', ['clone', '--quiet', `file://${root}`, clone], folder));
    const begun = performance.now();
    const system = await npmStart(clone);
    const start = (performance.now() - begun) / 1_000;
    try {
      const payment = await timed(() => pay(language, `${system.url}${path}`, folder));
      return { clone: cloned, start, payment };
    } finally {
      await system.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the token and the program from the page, and runs the program. */
async function pay(language: string, page: string, folder: string): Promise<void> {
  const html = await (await fetch(page)).text();
  const token = tokenLineOf(html).replace('export TOKEN=', '');
  const source = programsOf(html, 'first')[language] ?? '';
  const { status, output } = await runProgram(language, source, { folder, token });
  if (status !== 0 || !output.includes('approved')) throw new Error(`${language} took no payment: ${output}`);
}

async function npmStart(cwd: string) {
  const names = ['API_PORT', 'ADMIN_PORT', 'DISPATCHER_PORT', 'SIMULATOR_PORT', 'MAILBOX_PORT'];
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
  const { PATH, HOME } = process.env;
  const env: NodeJS.ProcessEnv = { PATH, HOME, ...Object.fromEntries(ports) };
  const child = spawn('npm', ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let output = '';
  const up = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      if (output.includes('is running.')) up.resolve();
    });
  }
  const failed = ended.then(() => Promise.reject(new Error(`npm start ended:\n${output}`)));
  failed.catch(() => {});
  await Promise.race([up.promise, failed]);
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
  };
  return { url: `http://localhost:${env.API_PORT}`, stop };
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${errors}`);
}

async function timed(step: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await step();
  return (performance.now() - begun) / 1_000;
}

/** A service as a platform hosts it, with a real bank and the test bank. Its pages know of no simulated bank. */
type HostedService = {
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

/** What a platform gives to a developer on the first day: its service's address, and a test store's token and secret. */
export type Given = { url: string; token: string; secret: string };

/** How long each step took, in seconds. */
type TestStoreJourney = { payment: number; webhook: number };

const id = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;

/**
 * Goes from a test store's token to a paid payment and to a webhook whose signature is right, by copying from the guide of
 * a hosted service alone. The receiver's own address stands for its tunnel's.
 * @param path of the guide
 * @throws Error with the output of the step that failed
 */
export async function useTestStore(language: string, path: string, given: Given): Promise<TestStoreJourney> {
  const page = await (await fetch(given.url + path)).text();
  const folder = await mkdtemp(join(tmpdir(), 'payments-newcomer-'));
  try {
    const begun = performance.now();
    await takePayment(language, { page, folder, given });
    const paid = performance.now();
    await receiveWebhook({ page, folder, given });
    return { payment: (paid - begun) / 1_000, webhook: (performance.now() - paid) / 1_000 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Step = { page: string; folder: string; given: Given };

/** Runs the first payment, which waits, and makes the test bank pay the id that it prints. */
async function takePayment(language: string, { page, folder, given: { token } }: Step): Promise<void> {
  const source = programsOf(page, 'first')[language] ?? '';
  let paying: Promise<string> | undefined;
  const onOutput = (output: string) => {
    const [ID] = id.exec(output) ?? [];
    if (ID) paying ??= command(page, '"do": "pay"', { TOKEN: token, ID });
  };
  const { status, output } = await runProgram(language, source, { folder, token, onOutput });
  await paying;
  if (status !== 0 || !output.includes('approved')) throw new Error(`${language} took no payment: ${output}`);
}

/** Runs the guide's receiver beside its sample, and creates a payment whose events go there. */
async function receiveWebhook({ page, folder, given: { token, secret } }: Step): Promise<void> {
  await writeFile(join(folder, 'verify.ts'), programsOf(page, 'verify').TypeScript ?? '');
  await writeFile(join(folder, 'receive.mjs'), programsOf(page, 'receive').JavaScript ?? '');
  const port = String(await freePort());
  const env = { ...ownNode, WEBHOOK_SECRET: secret, PORT: port };
  const receiver = spawn('node', ['receive.mjs'], { cwd: folder, env });
  const ended = once(receiver, 'close');
  const printed = until(receiver);
  try {
    await printed(/^Listening/m);
    const WEBHOOK_URL = `http://127.0.0.1:${port}`;
    const created = await command(page, 'WEBHOOK_URL', { TOKEN: token, WEBHOOK_URL });
    const [ID = ''] = id.exec(created) ?? [];
    await command(page, '"do": "pay"', { TOKEN: token, ID });
    await printed(/^payment\.status_changed approved$/m);
  } finally {
    receiver.kill();
    await ended;
  }
}

// The first node in the PATH may be an older one than this.
const ownNode = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

/** @returns a function that resolves when the process has printed such a line, and rejects when it has ended before */
function until(child: ReturnType<typeof spawn>): (line: RegExp) => Promise<void> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  return (line) =>
    new Promise((resolve, reject) => {
      const look = () => line.test(output) && resolve();
      child.stdout?.on('data', look);
      child.once('close', () => reject(new Error(`the receiver ended: ${output}`)));
      look();
    });
}

/** Runs a command of the guide as it stands. */
async function command(page: string, part: string, env: Record<string, string>): Promise<string> {
  const child = spawn('bash', ['-e', '-c', commandOf(page, part)], { env: { ...ownNode, ...env } });
  const [out] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return out;
}
