import t from 'tap';
import { createPace } from '../src/pace.ts';

t.test('a first turn comes at once, and those that ask together come one after the other', async (t) => {
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

t.test('turns that were not taken are not made up for', async (t) => {
  let time = 0;
  const pace = createPace(1_000 / 50, () => time);
  await pace();
  time = 60_000;
  await pace();
  const since = performance.now();
  await pace();
  t.ok(performance.now() - since >= 45);
});

t.test('who takes many turns keeps the next one waiting for all of them', async (t) => {
  const pace = createPace(1_000);
  const since = performance.now();
  await pace(50);
  t.ok(performance.now() - since < 25, 'itself begins at once');
  await pace();
  // A timer counts from where its turn of the event loop began.
  t.ok(performance.now() - since >= 45);
});
