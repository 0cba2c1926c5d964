import type { UnavailableReason } from '@payments/domain/bank-error';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import t from 'tap';
import { isBelieved, isNotAsked, isVerdict, tryAgainAt } from '../src/answers.ts';

const refused = (status: number) => new PixRefused('putCharge', status, { type: null, detail: null });

t.test('a refusal is a verdict on the charge, unless it is about our access', async (t) => {
  t.equal(isVerdict(refused(400)), true);
  t.equal(isVerdict(refused(422)), true);
  t.equal(isVerdict(refused(401)), false);
  t.equal(isVerdict(refused(403)), false);
  t.equal(isVerdict(new PixUnavailable('putCharge', 'timeout')), false);
  t.equal(isVerdict(new Error('refused')), false);
});

t.test('a call that was not sent says nothing of the charge', async (t) => {
  const table: [reason: UnavailableReason, notAsked: boolean][] = [
    ['breaker-open', true],
    ['paced', true],
    ['tokens-used-up', true],
    ['not-configured', true],
    ['network', false],
    ['timeout', false],
    ['status', false],
    ['unreadable', false],
  ];
  for (const [reason, notAsked] of table)
    t.equal(isNotAsked(new PixUnavailable('getCharge', reason)), notAsked, reason);
  t.equal(isNotAsked(refused(400)), false);
});

t.test('the pause doubles with each try, up to the longest', async (t) => {
  const now = new Date('2026-11-23T15:00:00Z');
  const pauses = { firstMs: 2_000, longestMs: 60_000 };
  const table: [tries: number, pauseMs: number][] = [
    [0, 2_000],
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [5, 32_000],
    [6, 60_000],
    [1_000_000, 60_000],
  ];
  for (const [tries, pauseMs] of table)
    t.equal(tryAgainAt(tries, now, pauses).getTime() - now.getTime(), pauseMs, `${tries} tries`);
  const unlimited = { firstMs: 1, longestMs: Number.POSITIVE_INFINITY };
  t.equal(tryAgainAt(10_000, now, unlimited).getTime() - now.getTime(), 2 ** 30, 'a date all the same');
});

t.test('four looks in a row are believed, three are not', async (t) => {
  t.same([1, 3, 4, 5].map(isBelieved), [false, false, true, true]);
});
