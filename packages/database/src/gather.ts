import { AsyncLocalStorage } from 'node:async_hooks';
import { isTracing } from '@payments/tracing/tracing';
import { DatabaseUnavailable } from './errors.ts';

export type GatherOptions = {
  /** Batches under way at most. More than one, so that a batch that waits for a lock holds up only what is in it. */
  atOnce: number;
  /** Calls of one batch at most. */
  size: number;
};

type Waiting<Call, Answer> = {
  call: Call;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
  /** Runs in the caller's trace. */
  within?: ReturnType<typeof AsyncLocalStorage.snapshot>;
};

/**
 * Makes one statement of calls that come together, where each on its own would be a round trip and a commit: those of
 * one turn of the event loop, and, while `atOnce` batches are under way, those that come meanwhile. So batches grow
 * with the load, and a call that comes alone waits for nothing. A batch is sent after the last of its calls was made:
 * what it reads is never older than the call.
 * @param run answers calls, in their order, and does nothing at all where it rejects. What the database refuses takes
 *   no other with it: then each call is run on its own; all of them reject when the database is away
 */
export function gather<Call, Answer>(
  run: (calls: Call[]) => Promise<Answer[]>,
  { atOnce, size }: GatherOptions,
): (call: Call) => Promise<Answer> {
  const gathered: Waiting<Call, Answer>[] = [];
  let underWay = 0;
  let isTurnAwaited = false;

  const runBatch = async (batch: readonly Waiting<Call, Answer>[]): Promise<void> => {
    const calls = batch.map(({ call }) => call);
    try {
      const answers = await (batch[0]?.within?.(run, calls) ?? run(calls));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof DatabaseUnavailable))
        for (const one of batch) await runBatch([one]);
      else for (const { reject } of batch) reject(error);
    }
  };
  const runGathered = async (): Promise<void> => {
    underWay += 1;
    while (gathered.length > 0) await runBatch(gathered.splice(0, size));
    underWay -= 1;
  };
  const endTurn = () => {
    isTurnAwaited = false;
    if (underWay < atOnce) void runGathered();
  };

  return (call) =>
    new Promise((resolve, reject) => {
      gathered.push({
        call,
        resolve,
        reject,
        ...(isTracing() ? { within: AsyncLocalStorage.snapshot() } : {}),
      });
      if (isTurnAwaited || underWay >= atOnce) return;
      isTurnAwaited = true;
      setImmediate(endTurn);
    });
}
