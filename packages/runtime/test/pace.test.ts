import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { createPace } from '../src/pace.ts';

t.test('the first turn comes at once, and concurrent turns follow one by one', async (t) => {
  const pace = createPace(100);
  const since = performance.now();
  await pace();
  t.ok(performance.now() - since < 10, 'at once');
  const ended: number[] = [];
  await Promise.all(Array.from({ length: 20 }, () => pace().then(() => ended.push(performance.now()))));
  // Timers count whole milliseconds.
  t.ok(ended.at(-1)! - since >= 195, `20 turns in ${Math.round(ended.at(-1)! - since)} ms`);
  t.same(
    ended,
    ended.toSorted((a, b) => a - b),
  );
});

t.test('missed turns are dropped', async (t) => {
  const pace = createPace(1_000 / 50);
  await pace();
  await delay(200);
  await pace();
  const since = performance.now();
  await pace();
  t.ok(performance.now() - since >= 45);
});
