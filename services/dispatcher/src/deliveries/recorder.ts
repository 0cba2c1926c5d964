import type { Database } from '@payments/database/connection';
import { type AttemptOutcome, recordAttempts } from '@payments/database/delivery-attempts';

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
    while (gathered.length > 0) {
      const batch = gathered.splice(0, atOnce);
      await persistently(patienceMs, () =>
        recordAttempts(
          db,
          batch.map(({ outcome }) => outcome),
        ),
      ).then(
        (held) => {
          for (const { outcome, resolve } of batch) resolve(held.has(outcome.delivery.id));
        },
        (error: unknown) => {
          for (const { reject } of batch) reject(error);
        },
      );
    }
    entering = false;
  };

  return {
    record: (outcome) =>
      new Promise((resolve, reject) => {
        gathered.push({ outcome, resolve, reject });
        if (!entering) void enter();
      }),
  };
}

/** A result that the database can't take yet is kept and offered again. */
async function persistently<T>(patienceMs: number, record: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await record();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
}
