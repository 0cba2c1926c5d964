import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { type GatherOptions, gather, ofCreations } from '../src/batching.ts';
import { DatabaseUnavailable } from '../src/errors.ts';

/** Batches that end when they are told to. */
function scripted(bounds: GatherOptions) {
  const batches: { calls: number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const call = gather(
    (calls: number[]) =>
      new Promise<string[]>((resolve, reject) => {
        batches.push({ calls, end: () => resolve(calls.map((n) => `answer ${n}`)), fail: reject });
      }),
    bounds,
  );
  return { batches, call, sent: () => batches.map(({ calls }) => calls) };
}

t.test('what comes in one turn of the event loop is one batch, and each gets its own answer', async (t) => {
  const { batches, call, sent } = scripted({ atOnce: 2, size: 10 });
  const answers = [1, 2, 3].map(call);
  t.same(sent(), [], 'nothing is sent before the turn has ended');
  await turn();
  t.same(sent(), [[1, 2, 3]]);
  batches[0]?.end();
  t.same(await Promise.all(answers), ['answer 1', 'answer 2', 'answer 3']);
});

t.test(
  'while as many batches as may are under way, calls gather; none is larger than it may be',
  async (t) => {
    const { batches, call, sent } = scripted({ atOnce: 2, size: 3 });
    const answers: Promise<string>[] = [];
    for (const n of [1, 2, 3, 4, 5, 6]) {
      answers.push(call(n));
      await turn();
    }
    t.same(sent(), [[1], [2]], 'a call that comes alone waits for nothing');
    batches[1]?.end();
    t.equal(await answers[1], 'answer 2', 'a batch is not held up by one before it');
    await turn();
    t.same(sent(), [[1], [2], [3, 4, 5]]);
    batches[0]?.end();
    await answers[0];
    await turn();
    t.same(sent().at(-1), [6]);
    for (const { end } of batches) end();
    t.same(
      await Promise.all(answers),
      [1, 2, 3, 4, 5, 6].map((n) => `answer ${n}`),
    );
  },
);

t.test(
  'where batches are to be apart, the first goes at once, and the next takes all of that time',
  async (t) => {
    const apartMs = 200;
    const { batches, call, sent } = scripted({ atOnce: 1, size: 10, apartMs: () => apartMs });
    const first = call(1);
    await turn();
    const since = performance.now();
    t.same(sent(), [[1]], 'a call that comes alone waits for nothing');
    batches[0]?.end();
    await first;
    const others = [2, 3].map(call);
    await turn();
    others.push(call(4));
    t.same(sent(), [[1]]);
    while (batches.length < 2) await turn();
    t.ok(performance.now() - since >= apartMs - 5);
    t.same(sent(), [[1], [2, 3, 4]]);
    batches[1]?.end();
    t.same(await Promise.all(others), ['answer 2', 'answer 3', 'answer 4']);
  },
);

t.test('batches are apart also where several may be under way', async (t) => {
  const apartMs = 50;
  const { batches, call, sent } = scripted({ atOnce: 2, size: 1, apartMs: () => apartMs });
  const since = performance.now();
  const answers = [1, 2].map(call);
  await turn();
  t.same(sent(), [[1]]);
  while (batches.length < 2) await turn();
  t.ok(performance.now() - since >= apartMs - 5);
  t.same(sent(), [[1], [2]], 'while the first is under way');
  for (const { end } of batches) end();
  t.same(await Promise.all(answers), ['answer 1', 'answer 2']);
});

t.test('creations are apart only where five to fifteen are under way', async (t) => {
  let underWay = 0;
  const { apartMs } = ofCreations(() => underWay);
  for (const [count, ms] of [
    [4, 0],
    [5, 10],
    [15, 10],
    [16, 0],
  ] as const) {
    underWay = count;
    t.equal(apartMs?.(), ms, `${count}`);
  }
});

t.test('what the database refuses takes no other with it', async (t) => {
  const batches: number[][] = [];
  const call = gather(
    async (calls: number[]) => {
      batches.push(calls);
      if (calls.includes(2)) throw Object.assign(new Error('refused'), { code: '22021' });
      return calls;
    },
    { atOnce: 1, size: 10 },
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(call));
  t.same(batches, [[1, 2, 3], [1], [2], [3]]);
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.equal(await call(4), 4, 'and what comes after goes on');
});

for (const error of [new DatabaseUnavailable('away'), new Error('nobody knows what')])
  t.test(`${error.name}: all of the batch reject, and nothing is sent twice`, async (t) => {
    const { batches, call } = scripted({ atOnce: 1, size: 10 });
    const outcomes = Promise.allSettled([1, 2].map(call));
    await turn();
    batches[0]?.fail(error);
    for (const outcome of await outcomes) t.match(outcome, { reason: { name: error.name } });
    t.equal(batches.length, 1);
  });

t.test(
  'while the database hangs, what waits too long or is too much is told so, and never sent',
  async (t) => {
    // As a pool's sockets do; waiting alone keeps no process alive.
    const alive = setInterval(() => {}, 1_000);
    t.teardown(() => clearInterval(alive));
    const { batches, call, sent } = scripted({ atOnce: 1, size: 10, waiting: { calls: 2, ms: 50 } });
    const first = call(1);
    await turn();
    const [second, third, fourth] = [call(2), call(3), call(4)];
    await t.rejects(fourth, { name: 'DatabaseUnavailable' }, 'at once: two wait already');
    await t.rejects(second, { name: 'DatabaseUnavailable' });
    await t.rejects(third, { name: 'DatabaseUnavailable' });
    const fifth = call(5);
    batches[0]?.end();
    t.equal(await first, 'answer 1');
    await turn();
    t.same(sent(), [[1], [5]]);
    batches[1]?.end();
    t.equal(await fifth, 'answer 5');
  },
);

t.test('what one turn leaves over waits no longer than what comes later', async (t) => {
  const alive = setInterval(() => {}, 1_000);
  t.teardown(() => clearInterval(alive));
  const { batches, call, sent } = scripted({ atOnce: 1, size: 2, waiting: { calls: 10, ms: 50 } });
  const [first, second, third] = [call(1), call(2), call(3)];
  await t.rejects(third, { name: 'DatabaseUnavailable' });
  t.same(sent(), [[1, 2]]);
  batches[0]?.end();
  t.same(await Promise.all([first, second]), ['answer 1', 'answer 2']);
});

t.test(
  'what is sent is answered in time, and keeps its place until the database has done with it',
  async (t) => {
    const alive = setInterval(() => {}, 1_000);
    t.teardown(() => clearInterval(alive));
    const { batches, call, sent } = scripted({ atOnce: 1, size: 10, answerMs: 50 });
    const [first, second] = [call(1), call(2)];
    await t.rejects(first, { name: 'DatabaseUnavailable' });
    await t.rejects(second, { name: 'DatabaseUnavailable' });
    const third = call(3);
    await turn();
    t.same(sent(), [[1, 2]]);
    batches[0]?.end();
    await turn();
    batches[1]?.end();
    t.equal(await third, 'answer 3');
    t.same(sent(), [[1, 2], [3]]);
  },
);

t.test('what comes in one turn fills as many batches as may be under way', async (t) => {
  const { batches, call, sent } = scripted({ atOnce: 2, size: 2 });
  const answers = [1, 2, 3, 4, 5].map(call);
  await turn();
  t.same(sent(), [
    [1, 2],
    [3, 4],
  ]);
  for (const { end } of batches) end();
  await answers[3];
  await turn();
  for (const { end } of batches) end();
  t.equal(await answers[4], 'answer 5');
});
