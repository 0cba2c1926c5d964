import { PassThrough } from 'node:stream';
import { isEndState, type PayerState } from '@payments/domain/payer-state';
import type { FastifyReply } from 'fastify';
import type { PaymentWatch } from './watch-payments.ts';

type Stream = { id: string; state: PayerState; watch: PaymentWatch; leave: () => void };

const reconnectAfterMs = 2_000;

/** Sends the payment's state now, and at each change until an end state (server-sent events). */
export function sendStates(reply: FastifyReply, { id, state, watch, leave }: Stream): FastifyReply {
  const body = new PassThrough();
  const say = (news: PayerState) => {
    body.write(`data: ${news}\n\n`);
    if (isEndState(news)) body.end();
  };
  const watcher = {
    id,
    state,
    tell: (news: PayerState) => {
      watcher.state = news;
      say(news);
    },
    beat: () => void body.write(':\n\n'),
    end: () => void body.end(),
  };
  const remove = watch.add(watcher);
  body.on('close', () => {
    remove();
    leave();
  });
  body.write(`retry: ${reconnectAfterMs}\n`);
  say(state);
  // The connection ends with the stream, so that a stopping process waits for none.
  return reply
    .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
    .type('text/event-stream; charset=utf-8')
    .send(body);
}
