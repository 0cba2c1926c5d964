import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { createTestDatabase } from '@payments/testing/database';
import { testNats } from '@payments/testing/nats';
import { startSimulator } from '@payments/testing/simulator';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { readmeLines } from './fixtures/readme.ts';

/** The README's lines for those who run the service, as they stand: no condition and no loader, as in an image. */
const root = join(import.meta.dirname, '../..');
const lines = readmeLines('For those who run it')
  .trim()
  .split('\n')
  .map((line) => line.replace(/ +#.*/, ''));
const [build = '', migrate = '', api = '', dispatcher = ''] = lines;
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
// The test runner's own hooks, which it loads into every Node, are not for the services.
const asUser = (line: string): [string, string[]] => [
  'env',
  ['-u', 'NODE_OPTIONS', 'bash', '-c', `exec ${line}`],
];
const home = { PATH, HOME: process.env.HOME ?? '' };

t.test('built, migrated, started and stopped by the README’s lines', async (t) => {
  t.equal(lines.length, 4);
  const built = spawnSync(...asUser(build), { cwd: root, encoding: 'utf8', env: home });
  t.equal(built.status, 0, built.stdout + built.stderr);

  const [database, nats, bank] = await Promise.all([createTestDatabase(), testNats(), startSimulator()]);
  t.teardown(async () => {
    await Promise.all([database.drop(), nats.stop(), bank.close()]);
  });
  const env = { ...home, DATABASE_URL: database.url };
  const migrated = spawnSync(...asUser(migrate), { cwd: root, encoding: 'utf8', env });
  t.match(migrated, { status: 0, stdout: /the schema is up to date/ });

  for (const [line, folder] of [
    [api, 'services/api'],
    [dispatcher, 'services/dispatcher'],
  ] as const) {
    const [port, adminPort] = [await freePort(), await freePort()];
    const running = spawn(...asUser(line), {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...env,
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        HOST: '127.0.0.1',
        NATS_URL: nats.url,
        NATS_STREAM: nats.stream,
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        ADMIN_KEY: 'test-admin-key',
        PIX_URL: bank.url,
        PIX_CLIENT_ID: 'id',
        PIX_CLIENT_SECRET: 'secret',
        PIX_KEY: 'key',
      },
    });
    const ended = once(running, 'close');
    t.teardown(() => running.kill('SIGKILL'));
    const answers = (path: string, at = port) =>
      eventually(30_000, `${path} of ${line}`, async () => {
        const answer = await fetch(`http://127.0.0.1:${at}${path}`).catch(() => undefined);
        await answer?.body?.cancel();
        return answer?.status === 200 || undefined;
      });
    t.ok(await answers('/health/ready'), `${line} is ready`);
    if (line === api) for (const page of ['/docs', '/docs/guide']) t.ok(await answers(page), page);
    if (line === api)
      for (const page of ['/panel/sign-in', '/panel/assets/panel.css'])
        t.ok(await answers(page, adminPort), page);
    running.kill('SIGTERM');
    t.same(await ended, [0, null], `${line} ends when told`);
    t.equal(readdirSync(join(root, folder, '.compiled')).length, 1, 'the next start need not compile it');
  }
});
