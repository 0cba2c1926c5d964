import { newKey, newToken } from '@payments/domain/tokens';
import type { HttpAnswer } from '@payments/testing/http';
import { patienceMs } from '@payments/testing/patience';
import { lockTable, untilWaiting } from '@payments/testing/pause';
import { startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { isError } from './payments/expectations.ts';

/** Limits beside floods of guesses at tokens and keys (Contract: rate limits). */
const limited = await startSystem({
  dispatcher: false,
  databasePatienceMs: patienceMs,
  env: { RATE_LIMIT_PER_MINUTE: '20', DATABASE_POOL_SIZE: '10' },
});
t.teardown(limited.stop);
const free = await startSystem({
  dispatcher: false,
  databasePatienceMs: patienceMs,
  env: { RATE_LIMIT_PER_MINUTE: '0', DATABASE_POOL_SIZE: '10' },
});
t.teardown(free.stop);

function isTooMany(t: Test, answer: HttpAnswer) {
  isError(t, answer, 429, 'Muitas requisições. Tente novamente mais tarde.');
  const seconds = Number(answer.headers.get('retry-after'));
  t.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
}

t.test('with the limit off, wrong admin keys are limited all the same', async (t) => {
  const ask = (n: number) => free.admin('/admin/stores', { token: `wrong-key-${n}` });
  const answers = await Promise.all(Array.from({ length: 1_001 }, (_, n) => ask(n)));
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  t.strictSame([count(401), count(429)], [1_000, 1]);
  t.equal((await free.admin('/admin/stores')).status, 200);
});

t.test('a refusal is cheap: no look-up without the form, and few at once beyond the limit', async (t) => {
  const { env } = limited;
  const url = env.DATABASE_URL!;
  const asStore = (token: string) => limited.api('/api-public/payments', { token });
  const asProgram = (token: string) => limited.admin('/admin/stores', { token });
  for (const [table, ask, make] of [
    ['tokens', asStore, newToken],
    ['keys', asProgram, newKey],
  ] as const) {
    // The limit of this address is reached.
    for (let n = 0; n < 3; n += 1) await ask(make());
    const lock = await lockTable(url, table);
    for (const odd of ['x', 'pp_x', `${make()}a`]) isTooMany(t, await ask(odd));
    const asked = Array.from({ length: 80 }, () => ask(make()));
    // The first that are answered are those for which there is no place.
    isTooMany(t, await Promise.race(asked));
    await untilWaiting(url, 1);
    t.equal(await lock.waiters(), 1, `one look-up in ${table} at a time`);
    await lock.end();
    for (const answer of await Promise.all(asked)) isTooMany(t, answer);
  }
});

t.test('unknown keys at once: as many look-ups as the limit, until those are counted', async (t) => {
  const system = await startSystem({
    dispatcher: false,
    databasePatienceMs: patienceMs,
    env: { RATE_LIMIT_PER_MINUTE: '30', DATABASE_POOL_SIZE: '10' },
  });
  t.teardown(system.stop);
  const url = system.env.DATABASE_URL!;
  const lock = await lockTable(url, 'keys');
  const asked = Array.from({ length: 80 }, () => system.admin('/admin/stores', { token: newKey() }));
  await untilWaiting(url, 3);
  t.equal((await system.admin('/admin/stores')).status, 200);
  t.equal(await lock.waiters(), 3);
  await lock.end();
  const refused = Map.groupBy(await Promise.all(asked), ({ status }) => status);
  t.strictSame([refused.get(401)?.length, refused.get(429)?.length], [3, 77]);
});

t.test('a credential that was good before is looked up at once, however many guesses wait', async (t) => {
  const system = await startSystem({
    dispatcher: false,
    databasePatienceMs: patienceMs,
    env: { RATE_LIMIT_PER_MINUTE: '20', DATABASE_POOL_SIZE: '10' },
  });
  t.teardown(system.stop);
  const url = system.env.DATABASE_URL!;
  const store = await system.createStore();
  const list = (token: string) => system.api('/api-public/payments', { token });
  t.equal((await list(store.token)).status, 200);
  for (let n = 0; n < 3; n += 1) await list(newToken());
  const lock = await lockTable(url, 'tokens');
  const guesses = Array.from({ length: 80 }, () => list(newToken()));
  isTooMany(t, await Promise.race(guesses));
  const good = list(store.token);
  await untilWaiting(url, 2);
  await lock.end();
  t.equal((await good).status, 200);
  for (const guess of await Promise.all(guesses)) isTooMany(t, guess);
});
