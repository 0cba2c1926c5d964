import { PassThrough } from 'node:stream';
import type { KnownFacts } from '@payments/database/payments/payer-pages';
import { isEndState, type PayerState, payerState } from '@payments/domain/payer-state';
import { startLoop } from '@payments/runtime/loop';
import type { FastifyReply } from 'fastify';
import { closed } from '../http/long-reads.ts';

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

const roundsPerBeat = 20;
const readAtOnce = 100;
const turnsPerRound = 10;

/**
 * One reader for all open pages of the process: their number costs hardly more statements. A round over all of them is
 * spread over its second, since a read of a thousand pages at once would delay requests.
 */
export function watchPayments({ read, now, everyMs, isAccepting, onError }: Options): PaymentWatch {
  const watchers = new Set<Watcher>();
  let turns = 0;
  let open: Watcher[] = [];
  const endAll = () => {
    for (const watcher of [...watchers]) watcher.end();
  };
  const turn = async () => {
    if (!isAccepting()) endAll();
    const [round, part] = [Math.floor(turns / turnsPerRound), turns % turnsPerRound];
    turns += 1;
    if (part === 0) open = [...watchers];
    const size = Math.max(readAtOnce, Math.ceil(open.length / turnsPerRound));
    const ofTurn = open.slice(part * size, (part + 1) * size).filter((watcher) => watchers.has(watcher));
    if (ofTurn.length === 0) return false;
    for (let n = round % roundsPerBeat; n < ofTurn.length; n += roundsPerBeat) ofTurn[n]?.beat();
    const changed = await read(ofTurn.map(({ facts }) => facts));
    const news = new Map(changed.map((facts) => [facts.id, facts]));
    const at = now();
    for (const watcher of ofTurn) {
      watcher.facts = news.get(watcher.facts.id) ?? watcher.facts;
      const state = payerState(watcher.facts, at);
      if (state !== watcher.state) watcher.tell(state);
      if (at >= watcher.until) watcher.letAsk();
    }
    return false;
  };
  const loop = startLoop({ intervalMs: everyMs / turnsPerRound, turn, onError });
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

type Stream = {
  facts: KnownFacts;
  state: PayerState;
  until: Date;
  watch: PaymentWatch;
  leave: () => void;
};

const reconnectAfterMs = 2_000;

/**
 * Sends the payment's state now, and at each change until an end state (server-sent events). At `until` the event `ask`
 * tells the page to ask by itself from then on.
 */
export function sendStates(reply: FastifyReply, { facts, state, until, watch, leave }: Stream): FastifyReply {
  const body = new PassThrough();
  const write = (text: string) => void (body.writableEnded || body.write(text));
  const say = (news: PayerState) => {
    write(`data: ${news}\n\n`);
    if (isEndState(news)) body.end();
  };
  const watcher = {
    facts,
    state,
    until,
    tell: (news: PayerState) => {
      watcher.state = news;
      say(news);
    },
    beat: () => write(':\n\n'),
    letAsk: () => {
      write('event: ask\ndata: \n\n');
      body.end();
    },
    end: () => void body.end(),
  };
  const remove = watch.add(watcher);
  void closed(reply).then(() => {
    body.destroy();
    remove();
    leave();
  });
  write(`retry: ${reconnectAfterMs}\n`);
  say(state);
  // The connection ends with the stream, so that a stopping process waits for none.
  return reply
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
    .type('text/event-stream; charset=utf-8')
    .send(body);
}

type OpenStreams = {
  /** @returns a function that ends the stay; undefined if too many are open: of this address, of this payment, in total */
  enter(address: string, paymentId: string): (() => void) | undefined;
};

type Bounds = { perAddress: number; perPayment: number; total: number };

/** Bounds connections that stay open: each one takes memory, and whoever knows one payment could take every place. */
export function openStreams({ perAddress, perPayment, total }: Bounds): OpenStreams {
  const open = new Map<string, number>();
  const count = (key: string) => open.get(key) ?? 0;
  const add = (key: string, change: number) => {
    const left = count(key) + change;
    if (left > 0) open.set(key, left);
    else open.delete(key);
  };
  return {
    enter: (address, paymentId) => {
      const [ofAddress, ofPayment, all] = [`address ${address}`, `payment ${paymentId}`, 'all'];
      if (count(ofAddress) >= perAddress || count(ofPayment) >= perPayment || count(all) >= total)
        return undefined;
      const change = (by: number) => {
        for (const key of [ofAddress, ofPayment, all]) add(key, by);
      };
      change(1);
      return () => change(-1);
    },
  };
}
