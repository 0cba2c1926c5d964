import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { images } from '@payments/local-servers/container-images';
import { freePort } from '@payments/local-servers/free-port';
import { type Engine, imageOf, root, type Target } from './engine.ts';
import { type SystemUrls, untilReady } from './payment-flow.ts';
import { receiverPort, receiverProgram } from './receiver-program.ts';

export const adminKey = 'image-test-admin-key';

/** What is started of our images: the test bank is the simulator's image, as the component test-bank runs it. */
export const parts = ['api', 'dispatcher', 'simulator', 'test-bank'] as const;
export type Part = (typeof parts)[number];
export const targetOf = (part: Part): Target => (part === 'test-bank' ? 'simulator' : part);

export type ContainerSystem = {
  urls: SystemUrls;
  /** Milliseconds from starting a container until it is ready. */
  readyMs: Record<Part, number>;
  /**
   * Runs the migration to its end.
   * @returns its log
   */
  migrate(): Promise<string>;
  /**
   * Runs `bank:check` in the API's image.
   * @returns what it printed
   */
  checkBank(): Promise<string>;
  /** @returns whether the test bank's books are on its volume */
  keepsBooks(): boolean;
  nameOf(part: Part): string;
  /** The last log lines of every container. */
  logs(): Promise<string>;
  /** Removes everything that was started. */
  remove(): Promise<void>;
};

// As strict as the manifests in deploy/kubernetes.
const restricted = [
  '--read-only',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
  '--memory',
  '512m',
];
const testBankPort = 3005;
const listening = [3000, 3001, 3002, 3003, testBankPort, receiverPort, 5432, 4222];

const environment = {
  DATABASE_URL: 'postgres://payments_services:payments_services@127.0.0.1:5432/payments',
  NATS_URL: 'nats://127.0.0.1:4222',
  PUBLIC_URL: 'http://127.0.0.1:3000',
  ADMIN_KEY: adminKey,
  SECRETS_KEY: randomBytes(32).toString('base64url'),
  PIX_URL: 'http://127.0.0.1:3003',
  PIX_CLIENT_ID: 'client',
  PIX_CLIENT_SECRET: 'secret',
  PIX_KEY: 'pix@example.com',
  WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  TEST_BANK_FILE: '/etc/payments/test-bank/test-bank.json',
};

const asOwner = [
  ...['--env', 'DATABASE_URL=postgres://payments:payments@127.0.0.1:5432/payments'],
  ...['--env', 'SERVICES_ROLE=payments_services'],
];
/** The folders that Kubernetes mounts for the test bank, from the component's own files but for the addresses. */
function testBankFolders() {
  const place = mkdtempSync(join(tmpdir(), 'payments-test-bank-'));
  const [files, books] = [join(place, 'files'), join(place, 'books')];
  const secret = randomBytes(16).toString('base64url');
  mkdirSync(files);
  mkdirSync(books);
  // The images' user has a number that may be nobody's here.
  chmodSync(place, 0o755);
  chmodSync(books, 0o777);
  const component = join(root, 'deploy/kubernetes/components/test-bank/test-bank.json');
  const text = readFileSync(component, 'utf8')
    .replace('payments-test-bank:3003', `127.0.0.1:${testBankPort}`)
    .replace('payments-api:3000', '127.0.0.1:3000');
  writeFileSync(join(files, 'test-bank.json'), text);
  writeFileSync(join(files, 'client-secret'), secret);
  return {
    files: ['--volume', `${files}:/etc/payments/test-bank:ro`],
    bank: [
      ...['--volume', `${books}:/var/lib/payments`],
      ...['--env', 'TEST_BANK=true', '--env', `PORT=${testBankPort}`, '--env', 'MERCHANT_NAME=TESTE'],
      ...['--env', `DATA_FILE=/var/lib/payments/test-bank.journal`, '--env', `PIX_CLIENT_SECRET=${secret}`],
    ],
    keepsBooks: () => existsSync(join(books, 'test-bank.journal')),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

const rolesFile = join(root, 'deploy/kubernetes/overlays/development/services-role.sql');

/** Starts all containers in one network namespace, like the containers of a pod. */
export async function startContainers(engine: Engine): Promise<ContainerSystem> {
  const run = randomBytes(4).toString('hex');
  const nameOf = (part: string) => `payments-test-${run}-${part}`;
  const started: string[] = [];
  const testBank = testBankFolders();
  const start = async (part: string, options: string[], image: string, ...command: string[]) => {
    started.push(nameOf(part));
    await engine.run('run', '--detach', '--name', nameOf(part), ...options, image, ...command);
  };
  const remove = async () => {
    for (const name of started.reverse())
      await engine.run('rm', '--force', '--volumes', name).catch(() => {});
    testBank.remove();
  };
  const logs = async () => {
    const all = started.map(async (name) => `--- ${name}\n${await engine.run('logs', '--tail', '20', name)}`);
    return (await Promise.all(all)).join('\n');
  };
  const shared = ['--network', `container:${nameOf('postgres')}`];
  try {
    const ports = new Map<number, number>();
    for (const port of listening) ports.set(port, await freePort());
    const published = [...ports].flatMap(([inside, outside]) => [
      '--publish',
      `127.0.0.1:${outside}:${inside}`,
    ]);
    const at = (port: number) => `http://127.0.0.1:${ports.get(port)}`;
    const settings = Object.entries({ ...environment, ADMIN_URL: at(3001) });
    const variables = settings.flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const ours = [...shared, ...restricted, ...variables, ...testBank.files];
    const account = ['--env', 'POSTGRES_USER=payments', '--env', 'POSTGRES_PASSWORD=payments'];
    // The images run in production, where the services need a role of their own.
    const roles = ['--volume', `${rolesFile}:/docker-entrypoint-initdb.d/services-role.sql:ro`];
    await start('postgres', [...published, ...account, ...roles], images.postgres);
    await start('nats', shared, images.nats, '--jetstream', '--store_dir', '/tmp/jetstream');
    const command = (name: string, file: string, own: string[] = []) =>
      engine.run('run', '--rm', '--name', nameOf(name), ...ours, ...own, imageOf('api'), file);
    const migrate = () => command('migration', 'dist/migrate.js', asOwner);
    const checkBank = () => command('bank-check', 'dist/bank-check.js');
    await migrate();
    const timed = async (part: Part, port: number, health: string, options = ours) => {
      await start(part, options, imageOf(targetOf(part)));
      await untilReady(`${at(port)}/health/${health}`);
      const readyAt = Date.now();
      // Excludes the engine's own time.
      const begun = await engine.run('inspect', '--format', '{{json .State.StartedAt}}', nameOf(part));
      return readyAt - Date.parse(JSON.parse(begun));
    };
    const readyMs = {
      simulator: await timed('simulator', 3003, 'live'),
      'test-bank': await timed('test-bank', testBankPort, 'live', [
        ...shared,
        ...restricted,
        ...testBank.bank,
      ]),
      api: await timed('api', 3000, 'ready'),
      dispatcher: await timed('dispatcher', 3002, 'ready'),
    };
    await start('receiver', [...shared, ...restricted], imageOf('api'), '-e', receiverProgram);
    await untilReady(at(receiverPort));
    const urls = {
      api: at(3000),
      admin: at(3001),
      dispatcher: at(3002),
      simulator: at(3003),
      receiver: at(receiverPort),
      webhookUrl: `http://127.0.0.1:${receiverPort}/`,
    };
    return { urls, readyMs, migrate, checkBank, keepsBooks: testBank.keepsBooks, nameOf, logs, remove };
  } catch (error) {
    console.error(await logs());
    await remove();
    throw error;
  }
}
