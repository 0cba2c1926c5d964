import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isTracing } from '@payments/tracing/tracing';
import { DatabaseUnavailable } from './errors.ts';

export type GatherOptions = {
  /** Batches under way at most. More than one, so that a batch that waits for a lock holds up only what is in it. */
  atOnce: number;
  /** Calls of one batch at most. */
  size: number;
  /** Batches begin at least this long after one another, so that they grow. At once unless told. */
  apartMs?: () => number;
  /** What may wait while all batches are under way: how many calls, and each for how long. No bound unless told. */
  waiting?: { calls: number; ms: number };
  /** How long the calls of a batch wait for its answer, once it is sent; it keeps its place until it ends. No bound unless told. */
  answerMs?: number;
};

/** For what requests ask: somebody waits for each answer, and no longer than for a free connection. */
export const ofRequests: GatherOptions = { atOnce: 2, size: 100, waiting: { calls: 2_000, ms: 5_000 } };

/** For what requests only read: nothing is in doubt where they are answered before the database has. */
export const ofReads: GatherOptions = { ...ofRequests, answerMs: 5_000 };

const several = 5;
const many = 16;
const creationsApartMs = 10;

/**
 * For what creations write. Where several are under way, each statement, commit and message for one of them alone costs
 * more than it spares: with these few milliseconds they share them, as do their events on all their way to the stores.
 * Where many are, they share them without.
 * @param underWay how many creations are under way; with fewer than five, or sixteen and more, none waits
 */
export function ofCreations(underWay: () => number): GatherOptions {
  const isWorthWaiting = () => underWay() >= several && underWay() < many;
  return { ...ofRequests, apartMs: () => (isWorthWaiting() ? creationsApartMs : 0) };
}

type Waiting<Call, Answer> = {
  call: Call;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  since: number;
  /** Runs in the caller's trace. */
  within?: ReturnType<typeof AsyncLocalStorage.snapshot>;
};

/**
 * Makes one statement of calls that come together, where each on its own would be a round trip and a commit: those of
 * one turn of the event loop, and, while `atOnce` batches are under way, those that come meanwhile. So batches grow
 * with the load, and a call that comes alone waits for nothing but `apartMs`. A batch is sent after the last of its
 * calls was made: what it reads is never older than the call.
 * @param run answers calls, in their order, and does nothing at all where it rejects. What the database refuses for
 *   the values of one call takes no other with it: then each is run on its own
 * @returns rejects with what `run` does, and with DatabaseUnavailable for what waited in vain or too long
 */
export function gather<Call, Answer>(
  run: (calls: Call[]) => Promise<Answer[]>,
  { atOnce, size, apartMs = () => 0, waiting = unbounded, answerMs }: GatherOptions,
): (call: Call) => Promise<Answer> {
  const gathered: Waiting<Call, Answer>[] = [];
  let underWay = 0;
  let isTurnAwaited = false;
  let isWatched = false;
  let nextAt = 0;

  // A batch's time is taken before it is waited for, so that no two wait for the same.
  const msUntilNext = (): number => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + apartMs();
    return at - now;
  };
  const runGathered = async (): Promise<void> => {
    underWay += 1;
    while (gathered.length > 0) {
      const ms = msUntilNext();
      if (ms > 0) await delay(ms);
      const batch = gathered.splice(0, size);
      if (batch.length > 0) await answer(batch, run, answerMs);
    }
    underWay -= 1;
  };
  const endTurn = () => {
    isTurnAwaited = false;
    while (underWay < atOnce && gathered.length > 0) void runGathered();
    if (gathered.length > 0 && waiting.ms > 0) watch(waiting.ms);
  };
  const giveUp = () => {
    isWatched = false;
    const oldest = performance.now() - waiting.ms;
    while (gathered[0] && gathered[0].since <= oldest) gathered.shift()?.reject(tooLate());
    if (gathered[0]) watch(gathered[0].since - oldest);
  };
  const watch = (ms: number) => {
    if (isWatched) return;
    isWatched = true;
    setTimeout(giveUp, ms).unref();
  };

  return (call) =>
    new Promise((resolve, reject) => {
      if (gathered.length >= waiting.calls) return reject(tooLate());
      const within = isTracing() ? { within: AsyncLocalStorage.snapshot() } : {};
      gathered.push({ call, resolve, reject, since: performance.now(), ...within });
      if (isTurnAwaited) return;
      if (underWay >= atOnce) return void (waiting.ms > 0 && watch(waiting.ms));
      isTurnAwaited = true;
      setImmediate(endTurn);
    });
}

async function answer<Call, Answer>(
  batch: readonly Waiting<Call, Answer>[],
  run: (calls: Call[]) => Promise<Answer[]>,
  answerMs: number | undefined,
): Promise<void> {
  const calls = batch.map(({ call }) => call);
  const rejectAll = (error: unknown) => {
    for (const { reject } of batch) reject(error);
  };
  // In the turn after: a process that was stopped meanwhile finds the answer in its socket first.
  const giveUp = () => setImmediate(() => rejectAll(tooLate()));
  const late = answerMs === undefined ? undefined : setTimeout(giveUp, answerMs).unref();
  try {
    const answers = await (batch[0]?.within?.(run, calls) ?? run(calls));
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
  } catch (error) {
    if (batch.length > 1 && isForValues(error)) for (const one of batch) await answer([one], run, answerMs);
    else rejectAll(error);
  } finally {
    clearTimeout(late);
  }
}

const unbounded = { calls: Number.POSITIVE_INFINITY, ms: 0 };

const tooLate = () => new DatabaseUnavailable('the database answers too slowly');

// A row that is written twice (21), values that are refused (22, 23, 54), and a statement that met another in a circle
// (40): nothing was done, and the same calls one by one may well succeed. Anything else would meet each of them alike.
const forValues = /^(21|22|23|40|54)/;

function isForValues(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && forValues.test(code);
}
