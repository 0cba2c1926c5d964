import { gather } from '@payments/database/batching';
import type { Database } from '@payments/database/connection';
import { type AttemptOutcome, recordAttempts } from '@payments/database/deliveries/attempts';
import { whileAway } from './while-away.ts';

// Together records cost less than one by one, and few wait for them: the payment's next event, and the slot of an attempt
// that failed.
const apartMs = () => 20;

export type Recorder = {
  /** @returns whether the claim still held; rejects when the database took it in none of the tries */
  record(outcome: AttemptOutcome): Promise<boolean>;
};

export type RecorderOptions = {
  /** How long a batch is offered again to a database that is away. */
  patienceMs: number;
  /** Called when deliveries that waited for what was recorded fell due. */
  onReleased: () => void;
};

/** Enters the outcomes of attempts, those of some milliseconds together; the first of them waits for nothing. */
export function createRecorder(db: Database, { patienceMs, onReleased }: RecorderOptions): Recorder {
  const enter = async (outcomes: AttemptOutcome[]) => {
    const { held, released } = await whileAway(patienceMs, () => recordAttempts(db, outcomes));
    if (released > 0) onReleased();
    return outcomes.map((outcome) => held.has(outcome));
  };
  return { record: gather(enter, { atOnce: 1, size: 500, apartMs }) };
}
