import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type BatchOptions, batched, batching } from '../src/batching.ts';
import { DatabaseUnavailable } from '../src/errors.ts';

/** Batches that end on the test's command. */
function scripted(bounds: BatchOptions) {
  const batches: { calls: number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const call = batching(
    (calls: number[]) =>
      new Promise<string[]>((resolve, reject) => {
        batches.push({ calls, end: () => resolve(calls.map((n) => `answer ${n}`)), fail: reject });
      }),
    bounds,
  );
  return { batches, call, sent: () => batches.map(({ calls }) => calls) };
}

/** @returns a function that lets this many milliseconds pass, and what is due then happen */
function stoppedTimers(t: Test): (ms: number) => Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  return async (ms) => {
    mock.timers.tick(ms);
    await turn();
  };
}

t.test('calls of one turn of the event loop are one batch, and each gets its own result', async (t) => {
  const { batches, call, sent } = scripted({ size: 10 });
  const answers = [1, 2, 3].map(call);
  t.same(sent(), [], 'nothing is sent before the turn has ended');
  await turn();
  t.same(sent(), [[1, 2, 3]]);
  batches[0]?.end();
  t.same(await Promise.all(answers), ['answer 1', 'answer 2', 'answer 3']);
});

t.test('while a batch is in flight, calls queue; no batch exceeds its size', async (t) => {
  const { batches, call, sent } = scripted({ size: 3, slowMs: 10_000 });
  const answers: Promise<string>[] = [];
  for (const n of [1, 2, 3, 4, 5]) {
    answers.push(call(n));
    await turn();
  }
  t.same(sent(), [[1]], 'a lone call is sent at once');
  batches[0]?.end();
  t.equal(await answers[0], 'answer 1');
  await turn();
  t.same(sent(), [[1], [2, 3, 4]]);
  batches[1]?.end();
  await answers[3];
  await turn();
  t.same(sent().at(-1), [5]);
  batches[2]?.end();
  t.equal(await answers[4], 'answer 5');
});

t.test('beside a slow batch others go on, one at a time', async (t) => {
  const pass = stoppedTimers(t);
  const { batches, call, sent } = scripted({ size: 2, slowMs: 200 });
  const answers = [1, 2, 3, 4, 5].map(call);
  await turn();
  await pass(199);
  t.same(sent(), [[1, 2]]);
  await pass(1);
  t.same(sent(), [
    [1, 2],
    [3, 4],
  ]);
  await pass(1_000);
  t.equal(batches.length, 2, 'two at most, however slow');
  batches[1]?.end();
  t.equal(await answers[3], 'answer 4', 'a batch does not wait for an earlier one');
  await turn();
  t.same(sent().at(-1), [5]);
  answers.push(call(6));
  await turn();
  t.same(sent().at(-1), [5]);
  batches[0]?.end();
  batches[2]?.end();
  await turn();
  t.same(sent().slice(3), [[6]]);
  answers.push(call(7));
  await turn();
  t.same(sent().slice(3), [[6]], 'when none is slow, one at a time again');
  batches[3]?.end();
  await turn();
  batches[4]?.end();
  t.same(
    await Promise.all(answers),
    [1, 2, 3, 4, 5, 6, 7].map((n) => `answer ${n}`),
  );
});

t.test('a refused call fails alone', async (t) => {
  const batches: number[][] = [];
  const call = batching(
    async (calls: number[]) => {
      batches.push(calls);
      if (calls.includes(2)) throw Object.assign(new Error('refused'), { code: '22021' });
      return calls;
    },
    { size: 10 },
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(call));
  t.same(batches, [[1, 2, 3], [1], [2], [3]]);
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  t.equal(await call(4), 4, 'later calls go on');
});

for (const error of [new DatabaseUnavailable('away'), new Error('nobody knows what')])
  t.test(`${error.name}: all calls of the batch reject, and none is sent twice`, async (t) => {
    const { batches, call } = scripted({ size: 10 });
    const outcomes = Promise.allSettled([1, 2].map(call));
    await turn();
    batches[0]?.fail(error);
    for (const outcome of await outcomes) t.match(outcome, { reason: { name: error.name } });
    t.equal(batches.length, 1);
  });

t.test('while the database hangs, late calls reject, and unsent ones are dropped', async (t) => {
  const pass = stoppedTimers(t);
  const { batches, call, sent } = scripted({ size: 2, slowMs: 10_000, timeoutMs: 50 });
  const calls = [1, 2, 3].map(call);
  const waiting = Promise.allSettled(calls);
  await turn();
  await pass(50);
  await waiting;
  for (const waited of calls) await t.rejects(waited, { name: 'DatabaseUnavailable' });
  t.same(sent(), [[1, 2]]);
  const fourth = call(4);
  await turn();
  t.same(sent(), [[1, 2]], 'a batch keeps its place until the database has finished it');
  batches[0]?.end();
  await turn();
  t.same(sent(), [[1, 2], [4]]);
  batches[1]?.end();
  t.equal(await fourth, 'answer 4');
});

t.test('each database has its own batches', async (t) => {
  const batches: [object, number[]][] = [];
  const call = batched(async (db: object, calls: number[]) => {
    batches.push([db, calls]);
    return calls;
  });
  const [one, other] = [{ batches: new Map() }, { batches: new Map() }];
  t.same(await Promise.all([call(one, 1), call(other, 2), call(one, 3)]), [1, 2, 3]);
  t.same(batches, [
    [one, [1, 3]],
    [other, [2]],
  ]);
});
