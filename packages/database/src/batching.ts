import { AsyncLocalStorage } from 'node:async_hooks';
import { isTracing } from '@payments/tracing/tracing';
import { DatabaseUnavailable } from './errors.ts';

/*
 * Requests that come together share one statement. A creation, a token or an idempotency key on its own would cost a
 * round trip, and a write a commit.
 *
 * - A batch takes the calls of one turn of the event loop. A call that comes alone is sent at once.
 * - While two batches are under way, calls wait and make the next batch larger: batches grow with the load.
 *   Two, and not one, so that a batch that waits for a lock holds up only the calls in it.
 * - A batch is sent after the last of its calls was made, so nothing that it reads is older than a call.
 * - A call rejects after five seconds. If it was not sent by then, it never is.
 * - If the database refuses one call's values, every call of the batch runs on its own.
 */

export type BatchOptions = {
  /** Batches under way at most. */
  atOnce: number;
  /** Calls of one batch at most. */
  size: number;
  /** How long a call waits for its answer; for ever unless told. */
  timeoutMs?: number;
};

const forRequests: BatchOptions = { atOnce: 2, size: 100, timeoutMs: 5_000 };

/** Answers calls, in their order; where it rejects, it has done nothing. */
type Run<Call, Answer> = (calls: Call[]) => Promise<Answer[]>;

/** @returns a function of one request's call, which batches the calls on each database */
export function batched<Db extends object, Call, Answer>(
  run: (db: Db, calls: Call[]) => Promise<Answer[]>,
): (db: Db, call: Call) => Promise<Answer> {
  const byDatabase = new WeakMap<Db, (call: Call) => Promise<Answer>>();
  return (db, call) => {
    const known = byDatabase.get(db) ?? gather((calls: Call[]) => run(db, calls), forRequests);
    byDatabase.set(db, known);
    return known(call);
  };
}

type Waiting<Call, Answer> = PromiseWithResolvers<Answer> & {
  call: Call;
  isGivenUp: boolean;
  /** Runs in the caller's trace; undefined where none is made. */
  within: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
};

/** @throws what `run` throws, and DatabaseUnavailable for a call that waited too long */
export function gather<Call, Answer>(
  run: Run<Call, Answer>,
  { atOnce, size, timeoutMs }: BatchOptions,
): (call: Call) => Promise<Answer> {
  const waiting: Waiting<Call, Answer>[] = [];
  let underWay = 0;
  let isTurnAwaited = false;

  const runWaiting = async () => {
    underWay += 1;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, size).filter(({ isGivenUp }) => !isGivenUp);
      if (batch.length > 0) await answer(batch, run);
    }
    underWay -= 1;
  };
  const endTurn = () => {
    isTurnAwaited = false;
    while (underWay < atOnce && waiting.length > 0) void runWaiting();
  };
  return (call) => {
    const one = {
      call,
      isGivenUp: false,
      within: isTracing() ? AsyncLocalStorage.snapshot() : undefined,
      ...Promise.withResolvers<Answer>(),
    };
    waiting.push(one);
    if (!isTurnAwaited) setImmediate(endTurn);
    isTurnAwaited = true;
    return timeoutMs === undefined ? one.promise : giveUpAfter(timeoutMs, one);
  };
}

function giveUpAfter<Answer>(ms: number, one: Waiting<unknown, Answer>): Promise<Answer> {
  const late = setTimeout(() => {
    one.isGivenUp = true;
    one.reject(new DatabaseUnavailable('the database answers too slowly'));
  }, ms);
  return one.promise.finally(() => clearTimeout(late));
}

async function answer<Call, Answer>(
  batch: readonly Waiting<Call, Answer>[],
  run: Run<Call, Answer>,
): Promise<void> {
  try {
    const calls = batch.map(({ call }) => call);
    const answers = await (batch[0]?.within?.(run, calls) ?? run(calls));
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
  } catch (error) {
    if (batch.length > 1 && isOfValues(error)) for (const one of batch) await answer([one], run);
    else for (const { reject } of batch) reject(error);
  }
}

// A row written twice (21), refused values (22, 23, 54) and a deadlock (40). Any other error would meet each call alike.
const ofValues = /^(21|22|23|40|54)/;

function isOfValues(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && ofValues.test(code);
}
