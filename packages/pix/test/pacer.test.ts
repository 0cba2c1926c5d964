import { mock } from 'node:test';
import t from 'tap';
import { createPacer } from '../src/pacer.ts';

const never = new AbortController().signal;

t.test('never more than the limit in any minute, whatever is asked', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.teardown(() => mock.timers.reset());
  const pace = createPacer(120, Date.now);
  const made: number[] = [];
  for (let call = 0; call < 1_000; call += 1)
    void pace('getCharge', 'money', never).then(() => made.push(Date.now()));
  for (let second = 0; second < 300; second += 1) {
    mock.timers.tick(1_000);
    await Promise.resolve();
  }
  t.ok(made.length > 400, String(made.length));
  const inMinute = made.map((at, index) => made.slice(index).filter((other) => other < at + 60_000).length);
  const most = Math.max(...inMinute);
  t.ok(most > 100 && most <= 120, String(most));
});

t.test('creations go before what is waiting, polling goes last', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.teardown(() => mock.timers.reset());
  const pace = createPacer(40, Date.now);
  const order: string[] = [];
  const ask = (urgency: 'creation' | 'money' | 'polling') =>
    pace(urgency, urgency, never).then(() => order.push(urgency));
  for (let call = 0; call < 10; call += 1) await pace('burst', 'money', never);
  const asked = [ask('polling'), ask('polling'), ask('money'), ask('creation'), ask('creation')];
  mock.timers.tick(60_000);
  await Promise.all(asked);
  t.same(order, ['creation', 'creation', 'money', 'polling', 'polling']);
});

t.test('polling goes on while the others want more calls than there are', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  t.teardown(() => mock.timers.reset());
  const pace = createPacer(60, Date.now);
  const made: string[] = [];
  for (let call = 0; call < 200; call += 1)
    void pace('getCharge', 'money', never).then(() => made.push('money'));
  // A scan gives its list up after ten seconds, and asks for it again ten seconds later.
  for (let second = 0; second < 120; second += 1) {
    if (second % 20 === 0) {
      const giveUp = new AbortController();
      setTimeout(() => giveUp.abort(), 10_000);
      pace('listPix', 'polling', giveUp.signal).then(
        () => made.push('polling'),
        () => {},
      );
    }
    mock.timers.tick(1_000);
    await Promise.resolve();
  }
  const polls = made.filter((urgency) => urgency === 'polling').length;
  t.ok(polls >= 3 && polls <= made.length / 9, `${polls} of ${made.length}`);
  t.equal(made.slice(0, 15).includes('polling'), false, 'nor before those that somebody waits for');
});

t.test('polling leaves half of a burst to those that are waited for', async (t) => {
  const pace = createPacer(40, () => 0);
  const ended = AbortSignal.timeout(50);
  const polls = Array.from({ length: 10 }, () => pace('listPix', 'polling', ended));
  const outcomes = await Promise.allSettled(polls);
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
  for (let call = 0; call < 5; call += 1) await pace('putCharge', 'creation', never);
  const late = pace('putCharge', 'creation', AbortSignal.timeout(20));
  await t.rejects(late, { code: 'PIX_UNAVAILABLE', reason: 'paced', isNotAsked: true });
});

t.test('without a limit nobody waits', async (t) => {
  const pace = createPacer(null, Date.now);
  for (let call = 0; call < 10_000; call += 1) await pace('listPix', 'polling', never);
  t.pass();
});
