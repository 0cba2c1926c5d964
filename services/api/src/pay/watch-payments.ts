import { type PayerFacts, type PayerState, payerState } from '@payments/domain/payer-state';
import { startLoop } from '@payments/runtime/loop';

/** An open page that waits for another state of its payment. */
export type Watcher = {
  id: string;
  /** The state that the page knows. */
  state: PayerState;
  tell(state: PayerState): void;
  /** Keeps the connection alive through proxies. */
  beat(): void;
  end(): void;
};

export type PaymentWatch = {
  /** @returns a function that removes the watcher */
  add(watcher: Watcher): () => void;
  /** Ends all watchers. */
  close(): Promise<void>;
};

type Options = {
  /** Reads these payments. */
  read: (ids: string[]) => Promise<(PayerFacts & { id: string })[]>;
  now: () => Date;
  everyMs: number;
  /** False once the process stops: its watchers are to turn to another replica. */
  isAccepting: () => boolean;
  onError: (error: unknown) => void;
};

const turnsPerBeat = 20;

/** One reader for all open pages of the process: their number costs no more statements. */
export function watchPayments({ read, now, everyMs, isAccepting, onError }: Options): PaymentWatch {
  const watchers = new Set<Watcher>();
  let turns = 0;
  const endAll = () => {
    for (const watcher of [...watchers]) watcher.end();
  };
  const turn = async () => {
    if (!isAccepting()) endAll();
    if (watchers.size === 0) return false;
    turns += 1;
    if (turns % turnsPerBeat === 0) for (const watcher of watchers) watcher.beat();
    const facts = await read([...new Set([...watchers].map(({ id }) => id))]);
    const at = now();
    const states = new Map(facts.map((one) => [one.id, payerState(one, at)]));
    for (const watcher of [...watchers]) {
      const state = states.get(watcher.id);
      if (state !== undefined && state !== watcher.state) watcher.tell(state);
    }
    return false;
  };
  const loop = startLoop({ intervalMs: everyMs, turn, onError });
  return {
    add: (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    close: async () => {
      endAll();
      await loop.stop();
    },
  };
}
