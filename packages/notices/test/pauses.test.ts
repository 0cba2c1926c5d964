import t from 'tap';
import { pauseMs } from '../src/pauses.ts';

const table: [attempts: number, random: number, seconds: number][] = [
  [1, 1, 5],
  [2, 1, 10],
  [3, 1, 20],
  [4, 1, 40],
  [5, 1, 60],
  [6, 1, 60],
  [5_000, 1, 60],
  [1, 0, 4],
  [9, 0, 48],
];
for (const [attempts, random, seconds] of table)
  t.equal(pauseMs(attempts, random), seconds * 1_000, `after ${attempts} tries`);
