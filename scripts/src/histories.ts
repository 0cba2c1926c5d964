import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareTemplate } from '@payments/testing/database';
import { root } from './repository.ts';
import { startTestServers } from './test-servers.ts';

/**
 * `npm run histories -- --runs 2000 --seed 7`: runs random histories of payments, with one bank, two, and two keys of one account, and
 * compares each step with the banks. `--banks 1`, `2` or `account` runs those alone. `--mutants` shows that they can fail: each
 * mistake of `mutants.ts` must be found; `--mutant payout` makes those alone that have this in their name.
 */
const options = {
  runs: { type: 'string', default: '500' },
  seed: { type: 'string' },
  banks: { type: 'string' },
  path: { type: 'string' },
  mutants: { type: 'boolean', default: false },
  mutant: { type: 'string' },
} as const;
const { runs, seed = String(Math.floor(Math.random() * 2 ** 31)), banks, path, mutants, mutant } = read();
const module = mutants || mutant !== undefined ? 'run-mutants.ts' : 'histories.slow.ts';

const servers = await startTestServers(process.env, console.log);
await prepareTemplate(servers.postgres);
const test = join(root, 'packages/settlement/test/histories', module);
const child = spawn(process.execPath, ['--conditions=public-payments', test], {
  stdio: 'inherit',
  env: {
    ...process.env,
    TEST_POSTGRES_URL: servers.postgres,
    TEST_NATS_URL: servers.nats,
    TAP_TIMEOUT: '0',
    HISTORIES: runs,
    HISTORIES_SEED: seed,
    ...(mutant ? { HISTORIES_MUTANTS: mutant } : {}),
    ...(banks ? { HISTORIES_BANKS: banks } : {}),
    ...(path ? { HISTORIES_PATH: path } : {}),
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
const [code] = await once(child, 'exit');
await servers.close();
process.exitCode = code ?? 1;

function read() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error((error as Error).message);
    return process.exit(1);
  }
}
