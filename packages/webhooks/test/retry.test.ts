import type { FailedStage } from '@payments/domain/delivery-error';
import { check, constantFrom, double, integer, oneof, property, string } from 'fast-check';
import t from 'tap';
import type { AttemptResult } from '../src/attempt-result.ts';
import { DEFAULT_SCHEDULE, isAbandoned, LOST_ATTEMPTS, nextStep } from '../src/retry.ts';

const schedule = DEFAULT_SCHEDULE;
const now = new Date('2026-11-21T12:00:00Z');

const answered = (status: number, retryAfter: string | null = null): AttemptResult => ({
  outcome: 'answered',
  status,
  retryAfter,
  responseExcerpt: '',
  durationMs: 3,
});
const failed = (stage: FailedStage): AttemptResult => ({
  outcome: 'failed',
  stage,
  code: 'failed',
  durationMs: 3,
});

t.test('the schedule is 12 retries over 76 hours', async (t) => {
  t.same(DEFAULT_SCHEDULE, [5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 86400]);
  t.equal(Math.floor(DEFAULT_SCHEDULE.reduce((sum, delay) => sum + delay) / 3600), 75);
});

t.test('an attempt that ends the delivery', async (t) => {
  const table: [what: string, attempts: number, result: AttemptResult, state: string][] = [
    ['200', 1, answered(200), 'delivered'],
    ['201', 4, answered(201), 'delivered'],
    ['204', 13, answered(204), 'delivered'],
    ['299', 99, answered(299), 'delivered'],
    ['200 asking to come back', 1, answered(200, '60'), 'delivered'],
    ['410', 1, answered(410), 'dead'],
    ['410 asking to come back', 1, answered(410, '60'), 'dead'],
    ['an unusable URL', 1, failed('url'), 'dead'],
    ['the 13th failure', 13, answered(500), 'dead'],
    ['a failure past the schedule', 40, failed('timeout'), 'dead'],
  ];
  for (const [what, attempts, result, state] of table) {
    t.same(nextStep({ attempts, result, now, random: 0.5, schedule }), { state, retryInMs: null }, what);
  }
  const withoutRetries = { attempts: 1, result: answered(500), now, random: 0.5, schedule: [] };
  t.match(nextStep(withoutRetries), { state: 'dead' });
});

t.test('an attempt that is followed by another', async (t) => {
  const date = (seconds: number) => new Date(now.getTime() + seconds * 1000).toUTCString();
  const table: [what: string, attempts: number, result: AttemptResult, random: number, seconds: number][] = [
    ['199', 1, answered(199), 0.5, 5],
    ['a redirect', 1, answered(301), 0.5, 5],
    ['another redirect', 2, answered(308), 0.5, 30],
    ['400', 3, answered(400), 0.5, 120],
    ['404', 4, answered(404), 0.5, 600],
    ['429 without a wish', 5, answered(429), 0.5, 1800],
    ['500', 6, answered(500), 0.5, 3600],
    ['a forbidden address', 7, failed('address'), 0.5, 7200],
    ['no such name', 8, failed('dns'), 0.5, 14400],
    ['not signed', 1, failed('signature'), 0.5, 5],
    ['not signed, the last pause', 12, failed('signature'), 1, 103_680],
    ['refused', 9, failed('connect'), 0.5, 28800],
    ['a bad certificate', 10, failed('tls'), 0.5, 43200],
    ['a time-out', 11, failed('timeout'), 0.5, 86400],
    ['garbage', 12, failed('response'), 0.5, 86400],
    ['the least jitter', 1, answered(500), 0, 4],
    ['the most jitter', 1, answered(500), 1, 6],
    ['the least jitter, later', 12, answered(500), 0, 69_120],
    ['the most jitter, later', 12, answered(500), 1, 103_680],
    ['a wish within the bound', 3, answered(429, '200'), 0.5, 200],
    ['a wish as a date', 3, answered(503, date(200)), 0.5, 200],
    ['a maintenance page at the first attempt', 1, answered(503, '120'), 0.5, 120],
    ['a wish of two hours', 1, answered(503, '7200'), 0.5, 7_200],
    ['a wish at the bound', 3, answered(429, '7320'), 0.5, 7_320],
    ['a wish beyond the bound', 3, answered(429, '7321'), 0.5, 7_320],
    ['a wish beyond the bound, later', 12, answered(429, '999999'), 0.5, 93_600],
    ['a wish beyond any number', 3, answered(429, '9'.repeat(400)), 0.5, 7_320],
    ['a wish shorter than the delay', 3, answered(429, '1'), 0.5, 120],
    ['a wish within the jitter', 3, answered(429, '120'), 1, 144],
    ['a wish in the past', 3, answered(503, date(-200)), 0.5, 120],
    ['a wish that is nonsense', 3, answered(503, 'tomorrow'), 0.5, 120],
    ['a wish with a redirect', 3, answered(302, '130'), 0.5, 130],
  ];
  for (const [what, attempts, result, random, seconds] of table) {
    const step = { state: 'pending', retryInMs: seconds * 1000 };
    t.same(nextStep({ attempts, result, now, random, schedule }), step, what);
  }
});

t.test(
  'what was not signed, so not sent, is never given up and takes no place beyond the schedule',
  async (t) => {
    const uncounted = (seconds: number) => ({ state: 'pending', retryInMs: seconds * 1000, uncounted: true });
    const result = failed('signature');
    t.same(nextStep({ attempts: 13, result, now, random: 0.5, schedule }), uncounted(86_400));
    t.same(nextStep({ attempts: 40, result, now, random: 0.5, schedule }), uncounted(86_400));
    t.same(
      nextStep({ attempts: 1, result, now, random: 0.5, schedule: [] }),
      uncounted(5),
      'without retries',
    );
  },
);

t.test(
  'no response can move the next attempt out of 0.8 times the scheduled delay to two hours more',
  async (t) => {
    const arbitraryResult = property(
      integer({ min: 300, max: 599 }).filter((status) => status !== 410),
      oneof(
        string(),
        integer().map(String),
        constantFrom(now.toUTCString(), 'Fri, 31 Dec 9999 23:59:59 GMT'),
      ),
      integer({ min: 1, max: 12 }),
      double({ min: 0, max: 1, noNaN: true }),
      (status, retryAfter, attempts, random) => {
        const step = nextStep({ attempts, result: answered(status, retryAfter), now, random, schedule });
        if (step.state !== 'pending') return false;
        const scheduled = schedule[attempts - 1]!;
        const seconds = step.retryInMs / 1000;
        return seconds >= scheduled * 0.8 && seconds <= Math.max(scheduled * 1.2, scheduled + 7_200);
      },
    );
    t.notOk(check(arbitraryResult).failed);
  },
);

t.test('a delivery whose attempts are lost ends some attempts after its schedule', async (t) => {
  const last = DEFAULT_SCHEDULE.length + 1;
  const table: [string, number, readonly number[], boolean][] = [
    ['the first', 1, schedule, false],
    ['the last of the schedule', last, schedule, false],
    ['the last that may be lost', last + LOST_ATTEMPTS, schedule, false],
    ['one more', last + LOST_ATTEMPTS + 1, schedule, true],
    ['a short schedule leaves as many', 2 + LOST_ATTEMPTS, [5], false],
    ['and no more', 3 + LOST_ATTEMPTS, [5], true],
  ];
  for (const [what, attempts, pauses, abandoned] of table)
    t.equal(isAbandoned(attempts, pauses), abandoned, what);
});
