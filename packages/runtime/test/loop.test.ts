import { EventEmitter, once } from 'node:events';
import t from 'tap';
import { startLoop } from '../src/loop.ts';

const never = 2_147_483_647;
const unexpected = (error: unknown) => t.fail(String(error));

/** A turn that the test ends, and that announces its start. */
function steps() {
  const events = new EventEmitter<{ began: [] }>();
  const ends: ((more: boolean | Error) => void)[] = [];
  let begun = 0;
  const turn = () =>
    new Promise<boolean>((resolve, reject) => {
      begun += 1;
      ends.push((more) => (more instanceof Error ? reject(more) : resolve(more)));
      events.emit('began');
    });
  return {
    turn,
    begun: () => begun,
    next: () => once(events, 'began'),
    end: (more: boolean | Error) => ends.shift()?.(more),
  };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

t.test('the first turn comes at once, the next while there is more', async (t) => {
  const { turn, begun, next, end } = steps();
  const loop = startLoop({ intervalMs: never, turn, onError: unexpected });
  t.equal(begun(), 1);
  for (let n = 2; n <= 4; n += 1) {
    const begins = next();
    end(true);
    await begins;
    t.equal(begun(), n);
  }
  end(false);
  await settle();
  t.equal(begun(), 4, 'then it pauses');
  await loop.stop();
});

t.test('a pause before the first turn: waking ends it, and stopping leaves no turn', async (t) => {
  const woken = steps();
  const loop = startLoop({ firstInMs: never, intervalMs: never, turn: woken.turn, onError: unexpected });
  t.equal(woken.begun(), 0);
  const begins = woken.next();
  loop.wake();
  await begins;
  woken.end(false);
  await loop.stop();
  const stopped = steps();
  await startLoop({ firstInMs: never, intervalMs: never, turn: stopped.turn, onError: unexpected }).stop();
  t.equal(stopped.begun(), 0);
});

t.test('a turn after a pause', async (t) => {
  const { turn, next, end, begun } = steps();
  const loop = startLoop({ intervalMs: 5, turn, onError: unexpected });
  const begins = next();
  end(false);
  await begins;
  t.equal(begun(), 2);
  end(false);
  await loop.stop();
});

t.test('waking ends the pause', async (t) => {
  const { turn, next, end } = steps();
  const loop = startLoop({ intervalMs: never, turn, onError: unexpected });
  end(false);
  await settle();
  const begins = next();
  loop.wake();
  await begins;
  end(false);
  await loop.stop();
  t.pass();
});

t.test('waking in the middle of a turn leads to one more, however often', async (t) => {
  const { turn, next, end, begun } = steps();
  const loop = startLoop({ intervalMs: never, turn, onError: unexpected });
  for (let n = 0; n < 10; n += 1) loop.wake();
  const begins = next();
  end(false);
  await begins;
  t.equal(begun(), 2, 'right after, and one at a time');
  end(false);
  await settle();
  t.equal(begun(), 2);
  await loop.stop();
});

t.test('a failed turn is reported, and the loop continues after its pause', async (t) => {
  const { turn, next, end } = steps();
  const told: unknown[] = [];
  const loop = startLoop({ intervalMs: 5, turn, onError: (error) => told.push(error) });
  const failure = new Error('no');
  const begins = next();
  end(failure);
  await begins;
  t.strictSame(told, [failure]);
  end(false);
  await loop.stop();
});

t.test('the loop also pauses after a failure when woken: no hot loop', async (t) => {
  const { turn, end, begun } = steps();
  const loop = startLoop({ intervalMs: never, turn, onError: () => {} });
  loop.wake();
  end(new Error('no'));
  await settle();
  t.equal(begun(), 1);
  await loop.stop();
});

t.test('stop waits for the current turn, and no other follows', async (t) => {
  const { turn, end, begun } = steps();
  const loop = startLoop({ intervalMs: 0, turn, onError: unexpected });
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await settle();
  t.equal(stopped, false, 'not before its end');
  end(true);
  await stopping;
  t.equal(begun(), 1);
  loop.wake();
  await loop.stop();
  t.equal(begun(), 1, 'nor after waking or stopping again');
});
