import type { Database } from '@payments/database/connection';
import { type AttemptOutcome, recordAttempts } from '@payments/database/delivery-attempts';
import { DatabaseUnavailable } from '@payments/database/errors';

const atOnce = 500;
const againMs = 250;

export type Recorder = {
  /** @returns whether the claim still held; rejects when the database took it in none of the tries */
  record(outcome: AttemptOutcome): Promise<boolean>;
};

type Waiting = {
  outcome: AttemptOutcome;
  resolve: (held: boolean) => void;
  reject: (error: unknown) => void;
};

/**
 * Enters the outcomes of attempts. While one batch is being entered the next one gathers, so batches grow with the
 * load, and an outcome on its own waits for nothing.
 * @param patienceMs how long a batch is offered again to a database that is away
 */
export function createRecorder(db: Database, patienceMs: number): Recorder {
  const gathered: Waiting[] = [];
  let entering = false;

  const enter = async () => {
    entering = true;
    while (gathered.length > 0) await enterBatch(gathered.splice(0, atOnce));
    entering = false;
  };
  const enterBatch = async (batch: readonly Waiting[]): Promise<void> => {
    const outcomes = batch.map(({ outcome }) => outcome);
    try {
      const held = await whileAway(patienceMs, () => recordAttempts(db, outcomes));
      for (const { outcome, resolve } of batch) resolve(held.has(outcome.delivery.id));
    } catch (error) {
      // One that the database refuses takes no other with it.
      if (batch.length > 1 && !isAway(error)) for (const one of batch) await enterBatch([one]);
      else for (const { reject } of batch) reject(error);
    }
  };

  return {
    record: (outcome) =>
      new Promise((resolve, reject) => {
        gathered.push({ outcome, resolve, reject });
        if (!entering) void enter();
      }),
  };
}

/** What a database that is away can't take is kept and offered again. */
async function whileAway<T>(patienceMs: number, record: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (!isAway(error) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
}

const isAway = (error: unknown) => error instanceof DatabaseUnavailable;
