import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { connect } from '@payments/database/connection';
import { insertStore } from '@payments/database/stores/stores';
import { newId } from '@payments/domain/identifiers';
import { createTestDatabase } from '@payments/testing/database';
import t from 'tap';
import { creationsOn } from '../src/payments/creations.ts';

const { url, drop } = await createTestDatabase();
const db = connect(url);
t.teardown(async () => {
  await db.destroy();
  await drop();
});
const storeId = newId();
await insertStore(
  db,
  {
    id: storeId,
    name: 'Loja',
    feePpm: null,
    feeFixed: null,
    maxAmount: 300_000,
    reviewAbove: null,
    webhookSecret: 'whsec_c2VjcmV0',
    createdAt: new Date(),
  },
  { name: null, via: 'api', reason: null, requestId: null },
);

const creations = creationsOn(db);
const ends: (() => void)[] = [];

/** A creation that is under way until it is ended. */
const begin = () =>
  creations.countCreation(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    return promise;
  });
const reserve = (key: string) =>
  creations.reserveKey({ storeId, key, requestHash: Buffer.alloc(32), paymentId: newId(), now: new Date() });

/** Two calls, one turn of the event loop after the other. @returns how long both took, in milliseconds */
async function bothAnswered(name: string): Promise<number> {
  const since = performance.now();
  const first = reserve(`${name} 1`);
  await turn();
  await Promise.all([first, reserve(`${name} 2`)]);
  return performance.now() - since;
}

t.test('what creations write is 10 ms apart where five are under way, until they end', async (t) => {
  const four = [1, 2, 3, 4].map(begin);
  const refused = creations.countCreation(async () => Promise.reject(new Error('refused')));
  await t.rejects(refused, /refused/);
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) times.push(await bothAnswered(`four ${round}`));
  t.ok(Math.min(...times) < 9, 'with four, neither waits; one that failed is under way no more');

  const fifth = begin();
  times.length = 0;
  for (let round = 0; round < 5; round += 1) {
    times.push(await bothAnswered(`five ${round}`));
    await delay(25);
  }
  t.ok(Math.max(...times) >= 9, 'with five, the second waits');

  for (const end of ends) end();
  await Promise.all([...four, fifth]);
  times.length = 0;
  for (let round = 0; round < 20; round += 1) times.push(await bothAnswered(`none ${round}`));
  t.ok(Math.min(...times) < 9, 'and again none waits');
});
