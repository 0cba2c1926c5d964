import t from 'tap';
import { createBreaker, failureWithin } from '../src/breaker.ts';

const policy = { failures: 3, openMs: 1000, maxOpenMs: 4000 };

function atTime() {
  const clock = { now: 0 };
  const breaker = createBreaker(() => clock.now, policy);
  const fail = (times = 1) => {
    for (let time = 0; time < times; time += 1) breaker.admit()?.failed(new Error('down'));
  };
  return { clock, breaker, fail };
}

t.test('it opens after so many failures in a row, not before', async (t) => {
  const { breaker, fail } = atTime();
  fail(2);
  breaker.admit()?.succeeded();
  fail(2);
  t.equal(breaker.state(), 'closed', 'a success between starts the count anew');
  fail();
  t.equal(breaker.state(), 'open');
  t.equal(breaker.admit(), null);
});

t.test('after the pause one probe goes, and decides', async (t) => {
  const { clock, breaker, fail } = atTime();
  fail(3);
  clock.now = 999;
  t.equal(breaker.admit(), null);
  clock.now = 1000;
  const probe = breaker.admit();
  t.ok(probe);
  t.equal(breaker.state(), 'half-open');
  t.equal(breaker.admit(), null, 'no second call beside the probe');
  probe?.succeeded();
  t.equal(breaker.state(), 'closed');
  t.ok(breaker.admit());
});

t.test(
  'each failed probe doubles the pause, up to the longest; a success makes it short again',
  async (t) => {
    const { clock, breaker, fail } = atTime();
    fail(3);
    for (const pause of [1000, 2000, 4000, 4000]) {
      clock.now += pause - 1;
      t.equal(breaker.admit(), null, `closed to calls for ${pause} ms`);
      clock.now += 1;
      fail();
      t.equal(breaker.state(), 'open');
    }
    clock.now += 4000;
    breaker.admit()?.succeeded();
    fail(3);
    clock.now += 1000;
    t.ok(breaker.admit());
  },
);

t.test('a call from before a change counts nothing after it', async (t) => {
  const { clock, breaker, fail } = atTime();
  const slow = breaker.admit();
  const slower = breaker.admit();
  fail(3);
  slow?.succeeded();
  t.equal(breaker.state(), 'open', 'an old success does not close it');
  clock.now = 1000;
  const probe = breaker.admit();
  slower?.failed(new Error('down'));
  t.equal(breaker.state(), 'half-open', 'an old failure does not fail the probe');
  probe?.succeeded();
  t.equal(breaker.state(), 'closed');
});

t.test('without calls a breaker stays open, so its failure counts for a time only', async (t) => {
  const { clock, breaker, fail } = atTime();
  const failure = () => failureWithin(60_000, breaker, new Date(clock.now));
  t.equal(failure(), null);
  fail(3);
  clock.now = 59_999;
  t.match(failure(), { since: new Date(0), at: new Date(0) });
  clock.now = 60_000;
  t.equal(failure(), null);
  t.equal(breaker.state(), 'open');
  fail();
  t.match(failure(), { since: new Date(0), at: new Date(60_000) }, 'the next call is a probe');
});
