import type { KnownFacts } from '@payments/database/payments/payer-pages';
import { type PayerState, payerState } from '@payments/domain/payer-state';
import { startLoop } from '@payments/runtime/loop';

/** An open page that waits for another state of its payment. */
export type Watcher = {
  /** The facts that the page knows of its payment. */
  facts: KnownFacts;
  state: PayerState;
  /** How long the page may stay. */
  until: Date;
  tell(state: PayerState): void;
  /** Keeps the connection alive through proxies. */
  beat(): void;
  /** Its time is over: the page asks by itself from now on. */
  letAsk(): void;
  end(): void;
};

export type PaymentWatch = {
  /** @returns a function that removes the watcher */
  add(watcher: Watcher): () => void;
  /** Ends all watchers. */
  close(): Promise<void>;
};

type Options = {
  /** Reads what is new. */
  read: (known: KnownFacts[]) => Promise<KnownFacts[]>;
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
    const open = [...watchers];
    turns += 1;
    // A part of them in each turn: all at once would delay requests.
    for (let n = turns % turnsPerBeat; n < open.length; n += turnsPerBeat) open[n]?.beat();
    const changed = await read(open.map(({ facts }) => facts));
    const news = new Map(changed.map((facts) => [facts.id, facts]));
    const at = now();
    for (const watcher of open) {
      watcher.facts = news.get(watcher.facts.id) ?? watcher.facts;
      const state = payerState(watcher.facts, at);
      if (state !== watcher.state) watcher.tell(state);
      if (at >= watcher.until) watcher.letAsk();
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
