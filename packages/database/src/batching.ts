import { inThisTrace } from '@payments/tracing/tracing';
import type { Database, Queryable } from './connection.ts';
import { DatabaseUnavailable, isLockedOut } from './errors.ts';

/**
 * Concurrent requests share one statement: alone, each would cost a round trip, and each write a commit.
 *
 * - A batch holds the calls of one turn of the event loop. A lone call is sent at once.
 * - While a batch is in flight, calls queue for the next one, so batches grow with the load.
 * - A batch that takes long, since it waits for a lock, delays only its own calls: a second one starts beside it.
 * - A batch is sent after its last call was made, so it reads nothing older than a call.
 * - A call rejects after the patience of its database. If it was not sent by then, it is dropped.
 * - If the database refuses one call's values, every call of the batch runs on its own.
 * - If a row that one store's calls need stays locked, the calls of each store run on their own.
 */

export type BatchOptions<Call = unknown> = {
  /** The most calls in one batch. */
  size: number;
  /** How long a batch is in flight before a second one may start beside it; 50 ms by default. */
  slowMs?: number;
  /** How long a call waits for its result; without a limit if absent. */
  timeoutMs?: number;
  /** The store of a call, for what waits for locks. */
  storeOf?: ((call: Call) => string) | undefined;
};

/**
 * How long a batch's statement waits for a lock: a fifth of the database's patience, which leaves time to run the stores'
 * calls apart before they reject.
 * @returns milliseconds as text; null in a transaction, which keeps its own wait for locks
 */
export const lockWait = (db: Queryable): string | null =>
  'patienceMs' in db ? String((db as Database).patienceMs / 5) : null;

/**
 * A condition in SQL that is always true. Its statement waits for a lock no longer than its database lets it.
 * @param parameter the place of {@link lockWait} among the statement's values, such as `$1`
 */
export const waitingBriefly = (parameter: string) =>
  `(select set_config('lock_timeout', coalesce(${parameter}, current_setting('lock_timeout')), true)) is not null`;

/** Returns one result per call, in the order of the calls. If it rejects, it has changed nothing. */
type Run<Call, Result> = (calls: Call[]) => Promise<Result[]>;

/** @returns a function for one request's call, which batches the calls on each database. In a transaction each runs alone */
export function batched<Db extends object, Call, Result>(
  run: (db: Db, calls: Call[]) => Promise<Result[]>,
  storeOf?: (call: Call) => string,
): (db: Db, call: Call) => Promise<Result> {
  return async (db, call) => {
    if (!('batches' in db)) return (await run(db, [call]))[0] as Result;
    const { batches, patienceMs: timeoutMs } = db as unknown as Database;
    const known =
      batches.get(run) ?? batching((calls: Call[]) => run(db, calls), { size: 100, timeoutMs, storeOf });
    batches.set(run, known);
    return (known as (call: Call) => Promise<Result>)(call);
  };
}

type Waiting<Call, Result> = PromiseWithResolvers<Result> & {
  call: Call;
  isGivenUp: boolean;
  /** Runs a batch in the caller's trace. */
  run: Run<Call, Result>;
};

/** @throws what `run` throws; DatabaseUnavailable for a call that waited too long */
export function batching<Call, Result>(
  run: Run<Call, Result>,
  { size, slowMs = 50, timeoutMs, storeOf }: BatchOptions<Call>,
): (call: Call) => Promise<Result> {
  const waiting: Waiting<Call, Result>[] = [];
  let inFlight = 0;
  let slow = 0;

  const sendNext = async () => {
    if (waiting.length === 0 || inFlight >= (slow > 0 ? 2 : 1)) return;
    const batch = waiting.splice(0, size).filter(({ isGivenUp }) => !isGivenUp);
    let isSlow = 0;
    const late = setTimeout(() => {
      isSlow = 1;
      slow += 1;
      void sendNext();
    }, slowMs);
    inFlight += 1;
    await runBatch(batch, storeOf);
    clearTimeout(late);
    inFlight -= 1;
    slow -= isSlow;
    void sendNext();
  };
  return (call) => {
    const one = { call, isGivenUp: false, run: inThisTrace(run), ...Promise.withResolvers<Result>() };
    waiting.push(one);
    setImmediate(sendNext);
    return timeoutMs === undefined ? one.promise : giveUpAfter(timeoutMs, one);
  };
}

function giveUpAfter<Call, Result>(ms: number, one: Waiting<Call, Result>): Promise<Result> {
  const late = setTimeout(() => {
    one.isGivenUp = true;
    one.reject(new DatabaseUnavailable('the database responds too slowly'));
  }, ms);
  return one.promise.finally(() => clearTimeout(late));
}

async function runBatch<Call, Result>(
  batch: readonly Waiting<Call, Result>[],
  storeOf?: (call: Call) => string,
): Promise<void> {
  const [first] = batch;
  if (!first) return;
  try {
    const calls = batch.map(({ call }) => call);
    const results = await first.run(calls);
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
  } catch (error) {
    const apart = storeOf && isLockedOut(error) ? Map.groupBy(batch, ({ call }) => storeOf(call)) : undefined;
    if (apart && apart.size > 1) await Promise.all([...apart.values()].map((calls) => runBatch(calls)));
    else if (batch.length > 1 && isOfValues(error)) for (const one of batch) await runBatch([one]);
    else for (const { reject } of batch) reject(error);
  }
}

// A row written twice (21), refused values (22, 23, 54) or a deadlock (40). Any other error would fail each call too.
const ofValues = /^(21|22|23|40|54)/;

function isOfValues(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && ofValues.test(code);
}
