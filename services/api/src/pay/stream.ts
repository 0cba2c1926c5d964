import { PassThrough } from 'node:stream';
import type { KnownFacts } from '@payments/database/payments/payer-pages';
import { isEndState, type PayerState } from '@payments/domain/payer-state';
import type { FastifyReply } from 'fastify';
import type { PaymentWatch } from './watch-payments.ts';

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
  body.on('close', () => {
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
