import t from 'tap';
import { parseRetryAfter } from '../src/retry.ts';

const now = new Date('1994-11-06T08:49:00Z');

const table: [header: string, seconds: number | null][] = [
  ['0', 0],
  ['120', 120],
  [' 120 ', 120],
  ['99999999999999999999', 1e20],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 37],
  ['Sun Nov  6 08:49:37 1994', 37],
  ['Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ['', null],
  ['soon', null],
  ['-5', null],
  ['1.5', null],
  ['1e3', null],
  ['0x10', null],
  ['Infinity', null],
  ['120, 240', null],
  ['1994-11-06T08:49:37Z', null],
  ['Sun, 06 Nov 1994 08:49:37 +0100', null],
  ['Sun, 99 Nov 1994 08:49:37 GMT', null],
  ['1999', 1999],
  ['1 Sun, 06 Nov 1994 08:49:37 GMT', null],
  ['Sun, 06 Nov 1994 08:49:37 GMT+1', null],
  ['1 Sunday, 06-Nov-94 08:49:37 GMT', null],
  ['Sunday, 06-Nov-94 08:49:37 GMT+1', null],
  ['1 Sun Nov  6 08:49:37 1994', null],
  ['Sun Nov  6 08:49:37 1994 -0100', null],
  ['Sun Nov 16 08:49:37 1994', 10 * 86_400 + 37],
];

for (const [header, seconds] of table) {
  t.test(`Retry-After: ${JSON.stringify(header)}`, async (t) =>
    t.equal(parseRetryAfter(header, now), seconds),
  );
}
