import { randomUUID } from 'node:crypto';
import type { AttemptOutcome } from '@payments/database/deliveries/attempts';
import { claimDueDeliveries } from '@payments/database/deliveries/claims';
import t from 'tap';
import { createRecorder } from '../../src/deliveries/recorder.ts';
import { openScene } from './scene.ts';

const { shop, sql, system } = await openScene(t, { dispatcher: false });
const url = 'http://127.0.0.1:9/';

/** Deliveries that this test has claimed, with what came of their attempts. */
async function outcomes(count: number): Promise<AttemptOutcome[]> {
  await shop.chargeMany(count, () => url);
  await sql('update deliveries set next_attempt_at = now() where attempts = 0 and claimed_at is not null');
  const bounds = { limit: count, leaseMs: 60_000, free: new Map(), perEndpoint: count, failing: true };
  const claimed = await claimDueDeliveries(system.db, bounds);
  const outcome = { durationMs: 1, statusCode: 200, stage: null, error: null, retryInMs: null };
  return claimed
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((delivery) => ({
      delivery,
      record: { ...outcome, startedAt: new Date(), responseExcerpt: 'thanks', state: 'delivered' },
      judge: () => null,
    }));
}

const statesOf = async (all: AttemptOutcome[]) => {
  const ids = all.map(({ delivery }) => delivery.id);
  const rows = await sql('select state from deliveries where id = any($1) order by id', [ids]);
  return rows.map(({ state }) => state);
};

t.test('outcomes that come together are entered together, each with its own answer', async (t) => {
  const all = await outcomes(20);
  const recorder = createRecorder(system.db, { patienceMs: 1_000, onReleased: () => {} });
  const [lost] = all;
  await sql('update deliveries set claim_id = gen_random_uuid() where id = $1', [lost?.delivery.id]);
  const held = await Promise.all(all.map(recorder.record));
  t.same(held, [false, ...Array.from({ length: 19 }, () => true)]);
  t.same(await statesOf(all), ['pending', ...Array.from({ length: 19 }, () => 'delivered')]);
});

t.test(
  'a delivery that comes twice, since a crash undid its first claim, takes no other with it',
  async (t) => {
    const all = await outcomes(3);
    const [first] = all as [AttemptOutcome];
    const again = { ...first, delivery: { ...first.delivery, claimId: randomUUID() } };
    const recorder = createRecorder(system.db, { patienceMs: 1_000, onReleased: () => {} });
    t.same(await Promise.all([...all, again].map(recorder.record)), [true, true, true, false]);
    t.same(await statesOf(all), ['delivered', 'delivered', 'delivered']);
  },
);

t.test('one that the database refuses takes no other with it', async (t) => {
  const all = await outcomes(5);
  const bad = all[2];
  if (bad) bad.record.responseExcerpt = 'PostgreSQL has no \0 in text';
  const recorder = createRecorder(system.db, { patienceMs: 10_000, onReleased: () => {} });
  const since = Date.now();
  const results = await Promise.allSettled(all.map(recorder.record));
  t.ok(Date.now() - since < 5_000, 'and holds nobody up');
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  t.same(await statesOf(all), ['delivered', 'delivered', 'pending', 'delivered', 'delivered']);
  const [next] = await outcomes(1);
  t.equal(await recorder.record(next as AttemptOutcome), true);
});
