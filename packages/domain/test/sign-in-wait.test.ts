import t from 'tap';
import { remembered, waitMs } from '../src/passwords.ts';

const now = new Date('2026-11-24T12:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

const waits: [count: number, secondsAgo: number, expectedMs: number][] = [
  [0, 0, 0],
  [4, 0, 0],
  [5, 0, 1_000],
  [5, 1, 0],
  [6, 0, 2_000],
  [10, 0, 32_000],
  [10, 31, 1_000],
  [10, 32, 0],
  [15, 0, 900_000],
  [5_000, 0, 900_000],
  [5_000, 3_600, 0],
];
for (const [count, secondsAgo, expected] of waits)
  t.equal(
    waitMs({ count, lastAt: ago(secondsAgo) }, 5, now),
    expected,
    `${count} failures, ${secondsAgo} s ago`,
  );

t.equal(remembered({ count: 7, lastAt: ago(3_599) }, now), 7);
t.equal(remembered({ count: 7, lastAt: ago(3_600) }, now), 0, 'an hour later they are forgotten');
