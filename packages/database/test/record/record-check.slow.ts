import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { asServicesRole, createTestDatabase } from '@payments/testing/database';
import { sql } from 'kysely';
import t from 'tap';
import { connect } from '../../src/connection.ts';
import { recordChange } from '../../src/record/changes.ts';

/** The command `record:check`. */
const { url, drop } = await createTestDatabase();
const owner = connect(url);
t.teardown(async () => {
  await owner.destroy();
  await drop();
});
const program = fileURLToPath(new URL('../../../../services/api/src/record-check.ts', import.meta.url));

const run = async (DATABASE_URL: string, ...hashes: string[]) => {
  const child = spawn(process.execPath, ['--conditions=public-payments', program, ...hashes], {
    env: { PATH: process.env.PATH, DATABASE_URL },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error, code] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  return { code, out: out.join(''), error: error.join('') };
};
const add = async (name: string) =>
  recordChange(
    owner,
    { name, via: 'api', reason: null, requestId: null },
    { action: 'sign_in', at: new Date(), storeId: null },
  );

t.test('an unbroken record, then one that its owner rewrote', async (t) => {
  const services = await asServicesRole(url);
  t.match(await run(services), { code: 0, out: '0 entries match\n' });
  for (const name of ['Ana', 'Mallory', 'Caio']) await add(name);
  const { code, out } = await run(services);
  const [, noted = ''] = /^3 entries match; last hash ([0-9a-f]{64})\n$/.exec(out) ?? [];
  t.equal(code, 0);
  await add('Davi');
  t.match(await run(services, noted), { code: 0, out: /^4 entries match/ });

  const never = 'f'.repeat(64);
  t.match(await run(services, noted, never), {
    code: 1,
    out: `broken: no entry has the hash ${never} any more\n4 entries match`,
  });
  await sql`alter table changes disable trigger changes_stay`.execute(owner);
  await sql`update changes set author = 'Ana' where author = 'Mallory'`.execute(owner);
  await sql`alter table changes enable trigger changes_stay`.execute(owner);
  t.match(await run(services), {
    code: 1,
    out: /^broken: entry 2, number 2 of the record: changed\n1 entries match; last hash /,
  });
});

t.test('what it is not given right, it says in one line', async (t) => {
  const wrong = await run(url, 'abc');
  t.equal(wrong.code, 1);
  t.match(wrong.error, /^\{.*"abc\\" is no hash: one is 64 characters of 0-9 and a-f"\}\n$/);
  t.match(await run(''), { code: 1, error: /DATABASE_URL is required/ });
});
