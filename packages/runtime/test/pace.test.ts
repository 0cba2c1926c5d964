import t from 'tap';
import { createPace } from '../src/pace.ts';

/** A clock that stands still; it notes the pauses that were asked for. */
function stoppedClock() {
  const pauses: number[] = [];
  const clock = {
    nowMs: 0,
    now: () => clock.nowMs,
    pause: async (ms: number) => void pauses.push(ms),
  };
  return { clock, pauses };
}

t.test('the first turn comes at once, and concurrent turns follow one by one', async (t) => {
  const { clock, pauses } = stoppedClock();
  const pace = createPace(100, clock);
  await pace();
  t.same(pauses, [], 'at once');
  await Promise.all(Array.from({ length: 20 }, () => pace()));
  t.same(
    pauses,
    Array.from({ length: 20 }, (_, index) => 10 * (index + 1)),
  );
});

t.test('missed turns are dropped', async (t) => {
  const { clock, pauses } = stoppedClock();
  const pace = createPace(1_000 / 50, clock);
  await pace();
  clock.nowMs = 200;
  await pace();
  t.same(pauses, []);
  await pace();
  t.same(pauses, [50]);
});

t.test('without a clock of its own it waits by the machine’s', async (t) => {
  const pace = createPace(1_000 / 50);
  const since = performance.now();
  await pace();
  await pace();
  // Timers count whole milliseconds.
  t.ok(performance.now() - since >= 45);
});
