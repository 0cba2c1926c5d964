import t from 'tap';
import { atMost, atMostEach } from '../../src/http/at-most.ts';

/** A task that the test ends. */
function held() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (index: number) => () => {
    begun.push(index);
    return new Promise<number>((resolve) => ends.push(() => resolve(index)));
  };
  return { begun, ends, work };
}

t.test('so many run at a time, the others in order, and what is too much is refused at once', async (t) => {
  const { begun, ends, work } = held();
  const bounded = atMost({ running: 2, waiting: 2 });
  const taken = [0, 1, 2, 3].map((index) => bounded(work(index)));
  t.equal(bounded(work(4)), undefined, 'refused');
  await new Promise(setImmediate);
  t.same(begun, [0, 1]);
  ends[1]?.();
  t.equal(await taken[1], 1);
  await new Promise(setImmediate);
  t.same(begun, [0, 1, 2]);
  t.not(bounded(work(5)), undefined, 'there is room again');
  for (const index of [0, 2, 3, 4]) {
    ends[index]?.();
    await new Promise(setImmediate);
  }
  t.same(await Promise.all([taken[0], taken[2], taken[3]]), [0, 2, 3]);
  t.same(begun, [0, 1, 2, 3, 5]);
});

t.test('what fails makes room too', async (t) => {
  const bounded = atMost({ running: 1, waiting: 1 });
  const failing = bounded(async () => {
    throw new Error('no');
  });
  const next = bounded(async () => 'done');
  await t.rejects(failing!, { message: 'no' });
  t.equal(await next, 'done');
});

t.test(
  'each has one turn at a time: another’s task waits for none of a flood but the one that runs',
  async (t) => {
    const { begun, ends, work } = held();
    const all = { running: 1, waiting: 4 };
    const bounded = atMostEach({ all, each: { running: 1, waiting: 2 } });
    const flood = [0, 1, 2].map((index) => bounded('a', work(index)));
    t.equal(bounded('a', work(3)), undefined, 'one’s own bound');
    const other = bounded('b', work(10));
    for (const _ of [1, 2, 3, 4]) {
      await new Promise(setImmediate);
      ends.pop()?.();
    }
    t.same(begun, [0, 10, 1, 2]);
    t.same(await Promise.all([...flood, other]), [0, 1, 2, 10]);
    t.not(bounded('a', work(4)), undefined, 'there is room again');
  },
);

t.test('the bound of all holds, whoever asks', async (t) => {
  const { work } = held();
  const bounded = atMostEach({ all: { running: 1, waiting: 1 }, each: { running: 1, waiting: 1 } });
  t.not(bounded('a', work(0)), undefined);
  t.not(bounded('b', work(1)), undefined);
  t.equal(bounded('c', work(2)), undefined);
});
